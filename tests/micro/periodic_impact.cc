// SPDX-License-Identifier: GPL-3.0-or-later
// One impact in boxes that repeat themselves, with and without a mean velocity gradient.
#include "convex/certificate.h"
#include "convex/input_error.h"
#include "micro/impact.h"
#include "micro/lattices.h"
#include "micro/packings.h"

#include <boost/test/unit_test.hpp>

#include <cmath>
#include <random>

BOOST_AUTO_TEST_SUITE(periodic_impact)

using namespace moreau;
using micro::ContactGraph;
using micro::Index;
using micro::PeriodicBox;
using micro::Spheres;
using micro::Vector;

namespace utf = boost::unit_test;

namespace
{
PeriodicBox square_box(const double length = 1.) { return {Vector::Zero(2), Vector::Constant(2, length)}; }

/// n x n discs on a square lattice that fills the unit square.
Spheres square(const int n)
{
  micro::lattices::Zone zone;
  zone.lower = Vector::Zero(2);
  zone.upper = Vector::Ones(2);
  micro::lattices::Placement placement;
  placement.spacing = 1. / n;
  return micro::lattices::square(zone, placement);
}

/// Jammed discs in a periodic unit square, of random masses; those that are nearer than a twentieth of a radius touch, so
/// that there are many more contacts than unknowns.
struct Packed
{
  Spheres     spheres;
  PeriodicBox box;
};

constexpr double tolerance = .05;

const Packed &packed()
{
  static const Packed result = [] {
    micro::PackingParameters parameters;
    parameters.lower    = Vector::Zero(2);
    parameters.upper    = Vector::Ones(2);
    parameters.periodic = {true, true};
    parameters.n        = 80;
    parameters.spread   = .2;
    Packed                                 made{micro::random_packing(parameters).spheres, square_box()};
    std::mt19937                           random(5);
    std::uniform_real_distribution<double> uniform(.5, 1.5);
    for (double &m : made.spheres.m)
      m = uniform(random);
    return made;
  }();
  return result;
}

Vector random_velocity(const Index n, const unsigned int seed)
{
  std::mt19937                     random(seed);
  std::normal_distribution<double> normal;
  Vector                           U(n);
  for (double &x : U)
    x = normal(random);
  return U;
}

Vector momentum(const Spheres &spheres, const Vector &u)
{
  return Eigen::Map<const Eigen::MatrixXd>(u.data(), spheres.dimension(), spheres.size()) * spheres.m;
}

micro::ImpactOptions options(const PeriodicBox &box, const double contact_tolerance, const Eigen::MatrixXd &D = {})
{
  micro::ImpactOptions result;
  result.contact_tolerance = contact_tolerance;
  result.box               = box;
  result.mean_gradient     = D;
  return result;
}

/// The impact of a packing that repeats itself, with U = D x + a field of one period.
micro::SphereImpact impact(const Packed &packing, const Vector &fluctuation, const Eigen::MatrixXd &D)
{
  const Vector U = (D * packing.spheres.r).reshaped() + fluctuation;
  return micro::impact(packing.spheres, {}, U, options(packing.box, tolerance, D));
}
} // namespace

BOOST_AUTO_TEST_CASE(every_disc_of_a_periodic_square_lattice_has_four_contacts)
{
  const ContactGraph graph = micro::contact_graph(square(5), {}, 1e-6, square_box());
  BOOST_TEST(graph.n_contacts() == 2 * 25);
  Index n_images = 0;
  for (const micro::Contact &c : graph.contacts)
    {
      const Vector to_image = square(5).r.col(c.j) + graph.displacement(c) - square(5).r.col(c.i);
      BOOST_TEST((to_image - (.2 + c.D) * c.e.head(2)).norm() < 1e-15);
      n_images += c.image != 0;
    }
  BOOST_TEST(n_images == 2 * 5);
}

// No row of a ring can open, so each moves as a block along itself.
BOOST_AUTO_TEST_CASE(rings_of_a_square_lattice_move_as_blocks)
{
  const Spheres spheres = square(5);
  const Vector  U       = random_velocity(50, 1);
  const auto    x       = micro::impact(spheres, {}, U, options(square_box(), 1e-6));
  BOOST_TEST_REQUIRE(x.law.effort.converged());
  BOOST_TEST(x.law.worst.guaranteed);
  for (Index i = 0; i < 25; ++i)
    for (Index axis = 0; axis < 2; ++axis)
      {
        double sum = 0.;
        int    n   = 0;
        for (Index j = 0; j < 25; ++j)
          if (std::abs(spheres.r(1 - axis, j) - spheres.r(1 - axis, i)) < 1e-9)
            {
              sum += U(2 * j + axis);
              ++n;
            }
        BOOST_TEST(n == 5);
        BOOST_TEST(std::abs(x.law.u_plus(2 * i + axis) - sum / n) < 1e-9);
      }
}

// A ring that shall become shorter: K is empty, and the ring proves it.
BOOST_AUTO_TEST_CASE(a_lattice_blocks_compression)
{
  const Spheres         spheres = square(5);
  const Eigen::Matrix2d D       = -Eigen::Matrix2d::Identity();
  const Vector          U       = (D * spheres.r).reshaped();
  BOOST_CHECK_EXCEPTION(micro::impact(spheres, {}, U, options(square_box(), 1e-6, D)), InputError,
                        [](const InputError &error) {
                          return error.sentence.find("squeezed by each other across its period") != std::string::npos;
                        });
}

BOOST_AUTO_TEST_CASE(expansion_and_shear_along_rows_pass)
{
  const Spheres   spheres = square(5);
  Eigen::Matrix2d shear;
  shear << 0., 1., 0., 0.;
  for (const Eigen::Matrix2d &D : {Eigen::Matrix2d(Eigen::Matrix2d::Identity()), shear})
    {
      const Vector U = (D * spheres.r).reshaped();
      const auto   x = micro::impact(spheres, {}, U, options(square_box(), 1e-6, D));
      BOOST_TEST((x.law.u_plus - U).norm() < 1e-12);
    }
}

// Shear at 45 degrees shortens diagonals, which the square lattice does not see; compression along a row it does.
BOOST_AUTO_TEST_CASE(a_lattice_in_shear_keeps_its_mean_gradient)
{
  const Spheres   spheres = square(6);
  Eigen::Matrix2d D;
  D << .5, 1., 1., .25;
  const Vector U = (D * spheres.r).reshaped() + random_velocity(72, 2);
  const auto   x = micro::impact(spheres, {}, U, options(square_box(), 1e-6, D));
  BOOST_TEST_REQUIRE(x.law.effort.converged());
  BOOST_TEST(x.law.worst.guaranteed);
  // each ring is as long as D makes it: Σ e·(v_j - v_i) = e·De
  const ContactGraph &graph = x.graph;
  for (const micro::Contact &c : graph.contacts)
    {
      const Vector step = x.law.u_plus.segment<2>(2 * c.j) + D * graph.displacement(c) - x.law.u_plus.segment<2>(2 * c.i);
      BOOST_TEST(c.e.head(2).dot(step) > -1e-6);
    }
}

BOOST_AUTO_TEST_CASE(momentum_is_kept_and_answers_are_certified)
{
  const Packed   &packing = packed();
  Eigen::Matrix2d D;
  D << .3, .4, -.1, .2;
  for (const Eigen::Matrix2d &gradient : {Eigen::Matrix2d(Eigen::Matrix2d::Zero()), D})
    {
      const Vector fluctuation = random_velocity(2 * packing.spheres.size(), 3);
      const auto   x           = impact(packing, fluctuation, gradient);
      BOOST_TEST_REQUIRE(x.law.effort.converged());
      BOOST_TEST(x.law.worst.guaranteed, x.law.projection.method);
      BOOST_TEST(x.law.worst.relative_error_bound < 1e-6);
      BOOST_TEST((momentum(packing.spheres, x.law.u_plus) - momentum(packing.spheres, x.problem.U)).norm() < 1e-10);
    }
}

// The same matter in a box of twice the length: the answer repeats itself, because it is unique.
BOOST_AUTO_TEST_CASE(two_periods_move_as_one)
{
  const Packed   &one = packed();
  const Index     n   = one.spheres.size();
  Eigen::Matrix2d D;
  D << .2, .5, 0., .1;
  const Vector fluctuation = random_velocity(2 * n, 4);
  for (const Eigen::Matrix2d &gradient : {Eigen::Matrix2d(Eigen::Matrix2d::Zero()), D})
    for (const Index axis : {0, 1})
      {
        const Vector L = one.box.period(axis) * Eigen::Vector2d::Unit(axis);
        Packed       two{{Eigen::MatrixXd(2, 2 * n), Vector(2 * n), Vector(2 * n)}, one.box};
        two.spheres.r << one.spheres.r, one.spheres.r.colwise() + L;
        two.spheres.R << one.spheres.R, one.spheres.R;
        two.spheres.m << one.spheres.m, one.spheres.m;
        two.box.period(axis) *= 2.;
        Vector twice(4 * n);
        twice << fluctuation, fluctuation;
        const Vector u = impact(one, fluctuation, gradient).law.u_plus, u_two = impact(two, twice, gradient).law.u_plus;
        const Vector drift = (gradient * L).replicate(n, 1);
        BOOST_TEST((u_two.head(2 * n) - u).norm() < 1e-5 * u.norm());
        BOOST_TEST((u_two.tail(2 * n) - u - drift).norm() < 1e-5 * u.norm());
      }
}

// Where the contacts do not lead around the box it makes no difference that it repeats itself.
BOOST_AUTO_TEST_CASE(a_cluster_across_the_side_is_a_cluster)
{
  Spheres row{Eigen::MatrixXd::Constant(2, 4, .5), Vector::Constant(4, .1), Vector::Ones(4)};
  row.r.row(0) << .7, .9, .1, .3;
  Vector U        = Vector::Zero(8);
  U(0)            = 1.;
  U(5)            = .5;
  const auto x    = micro::impact(row, {}, U, options(square_box(), 1e-6));
  row.r.row(0)    = Eigen::RowVector4d(.7, .9, 1.1, 1.3);
  const auto open = micro::impact(row, {}, U);
  BOOST_TEST(x.graph.n_contacts() == 3);
  BOOST_TEST(x.law.worst.guaranteed);
  BOOST_TEST((x.law.u_plus - open.law.u_plus).norm() < 1e-12);
}

BOOST_AUTO_TEST_CASE(walls_and_periods_go_together)
{
  const PeriodicBox box{Vector::Zero(2), Eigen::Vector2d(1., 0.)};
  const Spheres     spheres = square(5);
  const auto        walls   = micro::box_walls(Vector::Zero(2), Vector::Ones(2), {"bottom", "top"});
  const auto        graph   = micro::contact_graph(spheres, walls, 1e-6, box);
  BOOST_TEST(graph.n_contacts() == 25 + 20 + 10);
  const Vector U = random_velocity(50, 6);
  const auto   x = micro::impact(spheres, walls, graph, U);
  BOOST_TEST_REQUIRE(x.law.effort.converged());
  for (Index i = 0; i < 25; ++i)
    BOOST_TEST(std::abs(x.law.u_plus(2 * i + 1)) < 1e-9);
}

BOOST_AUTO_TEST_CASE(a_box_must_be_longer_than_what_is_in_it)
{
  const Spheres one{Eigen::MatrixXd::Constant(2, 1, .5), Vector::Constant(1, .5), Vector::Ones(1)};
  const auto    says = [](const std::string &words) {
    return [words](const InputError &error) { return error.sentence.find(words) != std::string::npos; };
  };
  BOOST_CHECK_EXCEPTION(micro::contact_graph(one, {}, 1e-6, square_box()), InputError, says("touches its own image"));
  BOOST_CHECK_EXCEPTION(micro::contact_graph(square(2), {}, 1e-6, square_box()), InputError, says("two images at once"));
  BOOST_CHECK_EXCEPTION(micro::contact_graph(square(5), {}, 1e-6, {Vector::Zero(2), Eigen::Vector2d(.95, 0.)}), InputError,
                        says("overlap"));
}

BOOST_AUTO_TEST_SUITE_END()
