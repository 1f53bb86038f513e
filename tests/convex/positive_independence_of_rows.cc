// SPDX-License-Identifier: GPL-3.0-or-later
#include "convex/solvers/positive_independence.h"

#include "tests/oracles.h"

#include <boost/test/unit_test.hpp>

#include <cmath>

BOOST_AUTO_TEST_SUITE(positive_independence_of_rows)

using namespace moreau;
using namespace moreau::convex;
namespace utf = boost::unit_test;

namespace
{
SparseConstraint::Matrix rows(const Eigen::MatrixXd &a) { return a.sparseView(); }

SparseConstraint::Matrix at_angles(const std::vector<double> &angles)
{
  Eigen::MatrixXd a(angles.size(), 2);
  for (std::size_t i = 0; i < angles.size(); ++i)
    a.row(static_cast<Index>(i)) =
        (1. + static_cast<double>(i)) * Eigen::RowVector2d(std::cos(angles[i]), std::sin(angles[i]));
  return rows(a);
}
} // namespace

// Two unit vectors with the angle θ between them: the middle of their chord is cos(θ/2) from 0, whatever their lengths.
BOOST_AUTO_TEST_CASE(of_two_vectors_it_is_that_of_their_chord, *utf::tolerance(1e-12))
{
  for (const double angle : {0., .3, 1.5, 3.})
    {
      const PositiveIndependence two = positive_independence(at_angles({.2, .2 + angle}));
      BOOST_TEST(two.gamma_at_least == 1. / std::cos(angle / 2.));
      BOOST_TEST(two.gamma_at_most == 1. / std::cos(angle / 2.));
      BOOST_TEST(!two.is_dependent());
      BOOST_TEST(two.good_direction(0) == std::cos(.2 + angle / 2.));
    }
  BOOST_TEST(positive_independence(at_angles({1.})).gamma() == 1.);
  BOOST_TEST(positive_independence(SparseConstraint::Matrix(0, 3)).gamma() == 1.);
}

BOOST_AUTO_TEST_CASE(what_balances_itself_is_dependent, *utf::tolerance(1e-12))
{
  const PositiveIndependence star = positive_independence(at_angles({0., 2. * M_PI / 3., 4. * M_PI / 3.}));
  BOOST_TEST(star.is_dependent());
  BOOST_TEST(std::isinf(star.gamma()));
  for (const double weight : star.weights)
    BOOST_TEST(weight == 1. / 3.);
  BOOST_TEST(positive_independence(at_angles({.4, .4 + M_PI})).is_dependent());
  Eigen::MatrixXd with_zero = Eigen::MatrixXd::Zero(2, 2); // a row that is 0 says nothing
  with_zero(1, 1)           = 3.;
  BOOST_TEST(positive_independence(rows(with_zero)).gamma() == 1.);
}

// Against all combinations of three of the rows on a fine grid, which include the best up to the grid.
BOOST_AUTO_TEST_CASE(no_combination_is_shorter)
{
  oracles::Random random(7);
  for (int repetition = 0; repetition < 20; ++repetition)
    {
      Eigen::MatrixXd a(6, 3);
      for (Index i = 0; i < a.rows(); ++i)
        a.row(i) << 1., 2. * random.uniform() - 1., 2. * random.uniform() - 1.;
      const PositiveIndependence found = positive_independence(rows(a));
      double                     least = 1.;
      a.rowwise().normalize();
      constexpr int n = 40;
      for (int i = 0; i < 6; ++i)
        for (int j = 0; j < 6; ++j)
          for (int k = 0; k < 6; ++k)
            for (int p = 0; p <= n; ++p)
              for (int q = 0; p + q <= n; ++q)
                least = std::min(least, ((p * a.row(i) + q * a.row(j) + (n - p - q) * a.row(k)) / n).norm());
      BOOST_TEST(found.gamma_at_least <= found.gamma_at_most);
      BOOST_TEST(found.gamma_at_most - found.gamma_at_least < 1e-9);
      BOOST_TEST(1. / found.gamma() <= least + 1e-12);
      BOOST_TEST(1. / found.gamma() >= least - 2e-3);
      BOOST_TEST((a * found.good_direction).minCoeff() >= 1. / found.gamma_at_most - 1e-12);
    }
}

// A chain of discs without walls cannot balance itself (BM, Lemma 1); between two walls it can.
BOOST_AUTO_TEST_CASE(a_row_between_walls_balances_itself)
{
  for (const bool has_walls : {false, true})
    {
      const Index                       n     = 4;
      std::vector<PairConstraint::Pair> pairs = {{0, 1}, {1, 2}, {2, 3}};
      Eigen::MatrixXd                   e     = Eigen::Vector2d(1., 0.).replicate(1, 3);
      if (has_walls)
        {
          pairs.push_back({0, PairConstraint::fixed_body});
          pairs.push_back({3, PairConstraint::fixed_body});
          e.conservativeResize(2, 5);
          e.col(3) << -1., 0.;
          e.col(4) << 1., 0.;
        }
      ProjectionProblem problem;
      problem.V               = std::make_shared<DiagonalSpace>(Vector::LinSpaced(n, 1., 5.), 2);
      problem.B               = std::make_shared<PairConstraint>(2, n, pairs, e);
      problem.U               = Vector::Zero(2 * n);
      const auto independence = positive_independence(problem);
      BOOST_REQUIRE(independence);
      BOOST_TEST(independence->is_dependent() == has_walls);
      if (has_walls)
        continue;
      Vector Bv(3); // a velocity that opens all contacts at once
      problem.B->apply(independence->good_direction, Bv);
      BOOST_TEST(Bv.maxCoeff() < 0.);
      BOOST_TEST(std::abs(problem.V->dot(independence->good_direction, independence->good_direction) - 1.) < 1e-12);
    }
}

BOOST_AUTO_TEST_SUITE_END()
