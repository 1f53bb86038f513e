// SPDX-License-Identifier: GPL-3.0-or-later
#include "convex/factorisation/newton_system.h"

#include "tests/oracles.h"

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <tbb/global_control.h>

#include <limits>

BOOST_AUTO_TEST_SUITE(newton_system)

namespace utf = boost::unit_test;
using namespace moreau;
using namespace moreau::convex;

namespace
{
/// A network in space and its masses; every fifth body rests against a wall.
struct Bodies
{
  PairConstraint B;
  Vector         masses; ///< one per entry of a velocity

  Bodies(const oracles::Network &network, const double decades, oracles::Random &random)
      : B(constraint(network)), masses(3 * network.size())
  {
    const Vector of_nodes = oracles::masses(random, network.size(), decades);
    for (Index k = 0; k < network.size(); ++k)
      masses.segment(3 * k, 3).setConstant(of_nodes(k));
  }

  static PairConstraint constraint(const oracles::Network &network)
  {
    auto                         pairs = network.pairs;
    std::vector<Eigen::Vector3d> e;
    for (const auto &[i, j] : pairs)
      e.emplace_back((network.r.col(j) - network.r.col(i)).normalized());
    for (int k = 0; k < network.size(); k += 5)
      {
        pairs.push_back({k, PairConstraint::fixed_body});
        e.emplace_back(Eigen::Vector3d::UnitX());
      }
    Eigen::MatrixXd directions(3, e.size());
    for (std::size_t c = 0; c < e.size(); ++c)
      directions.col(c) = e[c];
    return PairConstraint(3, network.size(), pairs, directions);
  }

  Vector times(const Vector &w, const Vector &x) const
  {
    Vector Bx(w.size()), Hx(x.size());
    B.apply(x, Bx);
    B.apply_transpose(w.cwiseProduct(Bx), Hx);
    return Hx + masses.cwiseProduct(x);
  }
};

/// width x width x length sites of a cubic lattice, joined to their neighbours.
oracles::Network long_bar(const int width, const int length)
{
  oracles::Network network;
  const auto       site = [width](const int x, const int y, const int z) { return (z * width + y) * width + x; };
  network.r.resize(3, width * width * length);
  for (int z = 0; z < length; ++z)
    for (int y = 0; y < width; ++y)
      for (int x = 0; x < width; ++x)
        {
          network.r.col(site(x, y, z)) = Eigen::Vector3d(x, y, z);
          if (x + 1 < width)
            network.pairs.push_back({site(x, y, z), site(x + 1, y, z)});
          if (y + 1 < width)
            network.pairs.push_back({site(x, y, z), site(x, y + 1, z)});
          if (z + 1 < length)
            network.pairs.push_back({site(x, y, z), site(x, y, z + 1)});
        }
  return network;
}

/// 10^x, x uniform in [low, high].
Vector weights(oracles::Random &random, const Index m, const double low, const double high)
{
  return Vector::NullaryExpr(m, [&](Index) { return std::pow(10., low + (high - low) * random.uniform()); });
}

double relative_residual(const Bodies &bodies, const Vector &w, const Vector &x, const Vector &f)
{
  return (bodies.times(w, x) - f).norm() / f.norm();
}
} // namespace

BOOST_DATA_TEST_CASE(both_systems_solve_what_they_are_asked_to, utf::data::make({0., 3.}), decades)
{
  oracles::Random random(5);
  const Bodies    bodies(oracles::disturbed(oracles::face_centred_ball(3.2), .15, 0., 3), decades, random);
  const auto      exact = factorised_system(bodies.B, bodies.masses, CholeskyBackend::multifrontal),
             iterated   = preconditioned_system(bodies.B, bodies.masses, 3);
  bool was_costly       = iterated->solutions_are_costly();
  BOOST_TEST(was_costly);
  BOOST_TEST(!exact->solutions_are_costly());
  // as in an interior point: weights spread, until most of them are next to 0 or large
  for (const double spread : {0., 1., 2., 4., 6., 6.})
    {
      const Vector w = weights(random, bodies.B.n_constraints(), -spread, spread);
      BOOST_TEST_REQUIRE(exact->set_weights(w));
      BOOST_TEST_REQUIRE(iterated->set_weights(w));
      const Vector f = bodies.times(w, random.normals(bodies.masses.size()));
      Vector       x = f, y = f;
      BOOST_TEST(exact->solve(x, 0.));
      BOOST_TEST(iterated->solve(y, 1e-9));
      BOOST_TEST(relative_residual(bodies, w, x, f) < 1e-9);
      BOOST_TEST(relative_residual(bodies, w, y, f) < (iterated->solutions_are_costly() ? .1 : 1e-6));
      BOOST_TEST((was_costly || !iterated->solutions_are_costly())); // there is no way back
      was_costly = iterated->solutions_are_costly();
    }
  BOOST_TEST(!was_costly);
}

BOOST_AUTO_TEST_CASE(weights_that_are_no_numbers_are_refused_and_the_next_ones_accepted)
{
  oracles::Random random(6);
  const Bodies    bodies(oracles::random_network(3, 40, 150, 1), 0., random);
  const auto      system = preconditioned_system(bodies.B, bodies.masses);
  Vector          w      = weights(random, bodies.B.n_constraints(), -1., 1.);
  const double    good   = w(3);
  w(3)                   = std::numeric_limits<double>::quiet_NaN();
  BOOST_TEST(!system->set_weights(w));
  w(3) = good;
  BOOST_TEST_REQUIRE(system->set_weights(w));
  Vector x = Vector::Zero(bodies.masses.size());
  BOOST_TEST(system->solve(x, 1e-3));
  BOOST_TEST(x.isZero(0.));
}

BOOST_AUTO_TEST_CASE(weights_beyond_single_precision_are_softened_in_the_preconditioner_only)
{
  oracles::Random random(7);
  const Bodies    bodies(oracles::disturbed(oracles::face_centred_ball(2.5), .15, 0., 3), 0., random);
  const auto      system = preconditioned_system(bodies.B, bodies.masses, 1);
  const Vector    w      = weights(random, bodies.B.n_constraints(), -9., 9.);
  BOOST_TEST_REQUIRE(system->set_weights(w));
  const Vector f = bodies.times(w, random.normals(bodies.masses.size()));
  Vector       x = f;
  BOOST_TEST_REQUIRE(system->solve(x, 1e-6));
  BOOST_TEST(!system->solutions_are_costly()); // by the factor
  BOOST_TEST(relative_residual(bodies, w, x, f) < 1e-2);
}

// As many bodies as threads are used for: rows and their transposes, assembled matrices and solutions, blocks and factors.
BOOST_AUTO_TEST_CASE(digits_do_not_depend_on_the_number_of_threads)
{
  oracles::Random             random(11);
  const Bodies                bodies(long_bar(10, 320), 2., random);
  const Index                 m = bodies.B.n_constraints();
  const Vector                w = weights(random, m, -3., 3.), f = random.normals(bodies.B.n_unknowns());
  std::vector<Vector>         first;
  const std::vector<unsigned> few = {1000, 1}; // blocks suffice; a factor is made
  for (const std::size_t n_threads : {1, 2, 5})
    {
      const tbb::global_control threads(tbb::global_control::max_allowed_parallelism, n_threads);
      std::vector<Vector>       found(2, f);
      for (std::size_t k = 0; k < few.size(); ++k)
        {
          const auto system = preconditioned_system(bodies.B, bodies.masses, few[k]);
          BOOST_TEST_REQUIRE(system->set_weights(w));
          BOOST_TEST_REQUIRE(system->solve(found[k], 1e-10));
          BOOST_TEST((bodies.times(w, found[k]) - f).norm() < .1 * f.norm());
        }
      const auto system = factorised_system(bodies.B, bodies.masses, CholeskyBackend::multifrontal);
      found.push_back(f);
      BOOST_TEST_REQUIRE(system->set_weights(w));
      BOOST_TEST_REQUIRE(system->solve(found.back(), 0.));
      found.push_back(bodies.times(w, found.back()));
      BOOST_TEST((found.back() - f).norm() < 1e-10 * f.norm());
      if (first.empty())
        first = found;
      for (std::size_t k = 0; k < found.size(); ++k)
        BOOST_TEST((found[k].array() == first[k].array()).all());
    }
}

BOOST_AUTO_TEST_SUITE_END()
