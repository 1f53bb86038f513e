// SPDX-License-Identifier: GPL-3.0-or-later
#include "convex/chains/isotonic_regression.h"

#include "tests/oracles.h"

#include <boost/test/unit_test.hpp>

BOOST_AUTO_TEST_SUITE(isotonic_regression)

using namespace moreau::convex;
using moreau::oracles::Random;

namespace
{
/// The min-max formula u_k = max_{i<=k} min_{j>=k} mean(U_i ... U_j), in O(n³): shares nothing with pooling.
Vector min_max_formula(const Vector &U, const Vector &w)
{
  const Index n = U.size();
  Vector      u(n);
  for (Index k = 0; k < n; ++k)
    {
      double largest = -std::numeric_limits<double>::infinity();
      for (Index i = 0; i <= k; ++i)
        {
          double smallest = std::numeric_limits<double>::infinity();
          for (Index j = k; j < n; ++j)
            {
              const auto weights = w.segment(i, j - i + 1);
              smallest           = std::min(smallest, weights.dot(U.segment(i, j - i + 1)) / weights.sum());
            }
          largest = std::max(largest, smallest);
        }
      u(k) = largest;
    }
  return u;
}

/// Random lines: rough, smooth, and with few distinct values, so that ties are frequent.
std::vector<Vector> lines_of_every_kind(Random &random)
{
  std::vector<Vector> lines;
  for (int trial = 0; trial < 20; ++trial)
    {
      const Index n = 1 + random.below(40);
      lines.push_back(random.normals(n));
      lines.push_back(Vector::NullaryExpr(n, [&](const Index k) { return std::sin(.3 * trial * k); }));
      lines.push_back(Vector::NullaryExpr(n, [&](Index) { return static_cast<double>(random.below(3)); }));
    }
  return lines;
}
} // namespace

BOOST_AUTO_TEST_CASE(regression_is_the_min_max_of_means)
{
  Random random(1);
  for (const Vector &U : lines_of_every_kind(random))
    {
      const Vector w = moreau::oracles::masses(random, U.size(), 4.);
      // sums of 40 numbers of size 1 on both sides
      BOOST_TEST((moreau::convex::isotonic_regression(U, w) - min_max_formula(U, w)).lpNorm<Eigen::Infinity>() <= 1e-13);
    }
}

BOOST_AUTO_TEST_CASE(equal_weights_need_not_be_given)
{
  Random random(2);
  for (const Vector &U : lines_of_every_kind(random))
    BOOST_TEST(moreau::convex::isotonic_regression(U) ==
               moreau::convex::isotonic_regression(U, Vector::Ones(U.size()))); // the same sums: bit for bit
}

BOOST_AUTO_TEST_CASE(result_is_exactly_monotone)
{
  Random random(3);
  for (const Vector &U : lines_of_every_kind(random))
    {
      const Vector u = moreau::convex::isotonic_regression(U, moreau::oracles::masses(random, U.size(), 8.));
      for (Index k = 0; k + 1 < u.size(); ++k)
        BOOST_TEST(u(k) <= u(k + 1));
    }
}

BOOST_AUTO_TEST_CASE(multipliers_are_running_sums_and_complementary)
{
  Random random(4);
  for (const Vector &U : lines_of_every_kind(random))
    {
      const Vector w = moreau::oracles::masses(random, U.size(), 2.), u = moreau::convex::isotonic_regression(U, w);
      const Vector p   = multiplier_of_line(U, u, w);
      double       sum = 0.;
      for (Index k = 0; k < p.size(); ++k)
        {
          sum += w(k) * (U(k) - u(k));
          BOOST_TEST(p(k) >= 0.);
          BOOST_TEST(std::abs(p(k) - sum) <= 1e-12); // what clipping removes is rounding of 40 terms of weight <= 10
          BOOST_TEST(p(k) * (u(k + 1) - u(k)) == 0.);
        }
      BOOST_TEST(std::abs(w.dot(U - u)) <= 1e-12); // momentum
    }
}

BOOST_AUTO_TEST_CASE(monotone_line_stays_bit_for_bit)
{
  const Vector U = Vector::LinSpaced(1000, -1. / 3., 1. / 7.);
  BOOST_TEST(moreau::convex::isotonic_regression(U) == U);
}

BOOST_AUTO_TEST_CASE(decreasing_line_leaves_with_the_velocity_of_its_centre_of_mass)
{
  const Vector U = Vector::LinSpaced(101, 1., -1.), w = Vector::LinSpaced(101, 1., 3.);
  const Vector u = moreau::convex::isotonic_regression(U, w);
  BOOST_TEST(u.minCoeff() == u.maxCoeff());
  BOOST_TEST(std::abs(u(0) - w.dot(U) / w.sum()) <= 1e-15); // one division
}

BOOST_AUTO_TEST_CASE(nan_is_kept)
{
  Vector U(4);
  U << 0., std::nan(""), 2., 1.;
  BOOST_TEST(moreau::convex::isotonic_regression(U).hasNaN());
  BOOST_TEST(moreau::convex::isotonic_regression(Vector(U.segment(1, 1))).hasNaN());
}

BOOST_AUTO_TEST_CASE(weights_of_another_length_are_refused)
{
  BOOST_CHECK_THROW(moreau::convex::isotonic_regression(Vector::Zero(3), Vector::Ones(2)), std::invalid_argument);
}

BOOST_AUTO_TEST_SUITE_END()
