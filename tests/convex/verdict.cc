// SPDX-License-Identifier: GPL-3.0-or-later
// When a certificate says that an answer has converged.
#include "convex/certificate.h"

#include "convex/solvers/lawson_hanson.h"

#include <Eigen/Dense>

#include <boost/test/unit_test.hpp>

#include <cmath>

BOOST_AUTO_TEST_SUITE(verdict)

using namespace moreau::convex;

// Light spheres hardly count in the norm of the bound, but their contacts go on approaching.
BOOST_AUTO_TEST_CASE(a_bound_counts_together_with_the_natural_residual)
{
  Certificate certificate;
  certificate.guaranteed           = true;
  certificate.relative_error_bound = 6.4e-7;
  certificate.natural_residual     = 5e-6;
  BOOST_TEST(StoppingCriterion().met_by(certificate));
  certificate.natural_residual = .04;
  BOOST_TEST(!StoppingCriterion().met_by(certificate));
}

// One row of length 10^4, and velocities along it: what it makes of them is rounding.
BOOST_AUTO_TEST_CASE(rows_of_any_length_are_met_to_rounding)
{
  int n_beyond_unit_rows = 0;
  for (int k = 1; k < 50; ++k)
    {
      const Eigen::Vector2d    e(std::cos(k), std::sin(k));
      ProjectionProblem        problem;
      SparseConstraint::Matrix B(1, 2);
      B.insert(0, 0) = 1e4 * e(0);
      B.insert(0, 1) = 1e4 * e(1);
      problem.B      = std::make_shared<SparseConstraint>(B);
      problem.V      = std::make_shared<DiagonalSpace>(Vector::Ones(2));
      problem.U      = Eigen::Vector2d(-e(1), e(0)) + e;
      const Vector u = Eigen::Vector2d(-e(1), e(0)) / 3. * 3.;
      Vector       excess(1); // b = 0
      problem.B->apply(u, excess);
      n_beyond_unit_rows += excess(0) > 4. * epsilon;
      const Certificate certificate = certify(problem, u, Vector::Constant(1, 1e-4));
      BOOST_TEST(certificate.guaranteed);
      BOOST_TEST(certificate.relative_error_bound < 1e-7);
    }
  BOOST_TEST(n_beyond_unit_rows > 0);
}

// Light bodies between heavy ones: no residual below ε p/m can be computed, and the limit of iterations was reached in vain.
BOOST_AUTO_TEST_CASE(a_natural_residual_at_rounding_has_converged)
{
  const int                         n = 40;
  std::vector<PairConstraint::Pair> pairs;
  Vector                            masses(n), U(n);
  for (int k = 0; k < n; ++k)
    {
      masses(k) = k % 3 == 1 ? 1e-6 : 1.;
      U(k)      = std::cos(3. * k) - .1 * k;
      if (k > 0)
        pairs.push_back({k - 1, k});
    }
  ProjectionProblem problem;
  problem.V = std::make_shared<DiagonalSpace>(masses);
  problem.B = std::make_shared<PairConstraint>(1, n, pairs, Eigen::MatrixXd::Ones(1, n - 1));
  problem.U = U;
  StoppingCriterion strict;
  strict.on_natural_residual = true;
  strict.tolerance           = 1e-14;
  SaddlePoint x              = LawsonHanson().project(problem);
  judge(problem, strict, x);
  BOOST_TEST(x.converged(), x.certificate.natural_residual);
  BOOST_TEST(x.certificate.natural_residual > 1e-14);

  Index largest = 0;
  x.p.maxCoeff(&largest);
  x.p(largest) *= 1. + 1e-6; // far above rounding
  judge(problem, strict, x);
  BOOST_TEST(!x.converged());
}

BOOST_AUTO_TEST_SUITE_END()
