// SPDX-License-Identifier: GPL-3.0-or-later
#include "convex/solvers/circular_interior_point.h"

#include "convex/certificate.h"
#include "convex/impact_law.h"
#include "convex/solvers/circular_scaling.h"
#include "convex/solvers/diagnostics.h"
#include "convex/solvers/interior_point.h"

#include <boost/test/unit_test.hpp>

#include <cmath>
#include <random>

BOOST_AUTO_TEST_SUITE(circular_interior_point)

namespace tt = boost::test_tools;
using namespace moreau;
using namespace moreau::convex;

namespace
{
struct Random
{
  std::mt19937                     engine;
  std::normal_distribution<double> normal;

  explicit Random(const unsigned int seed) : engine(seed) {}

  Vector vector(const Index n)
  {
    return Vector::NullaryExpr(n, [this](Index) { return normal(engine); });
  }

  /// Inside of Q.
  Vector inner_point(const CircularRows &Q)
  {
    Vector y = vector(Q.n_rows());
    y += (Q.excess(-y).cwiseMax(0.).array() + .1).matrix().cwiseProduct(CircularAlgebra{Q}.unit());
    return y;
  }
};

CircularRows blocks(const std::vector<Index> &sizes)
{
  CircularRows Q;
  for (const Index size : sizes)
    Q.append(size);
  return Q;
}

ProjectionProblem problem_of(const Eigen::MatrixXd &B, const Vector &masses, const Vector &U, const CircularRows &Q)
{
  ProjectionProblem problem;
  problem.V       = std::make_shared<DiagonalSpace>(masses);
  problem.B       = std::make_shared<SparseConstraint>(B.sparseView());
  problem.U       = U;
  problem.circles = std::make_shared<CircularRows>(Q);
  return problem;
}

StoppingCriterion to_tolerance(const double tolerance)
{
  StoppingCriterion criterion;
  criterion.tolerance = tolerance;
  return criterion;
}

/// A random problem with an inside: Bw ∈ -Q for the first unit vector w.
ProjectionProblem random_problem(Random &random, const CircularRows &Q, const Index n)
{
  Eigen::MatrixXd B(Q.n_rows(), n);
  for (Index k = 1; k < n; ++k)
    B.col(k) = random.vector(Q.n_rows());
  B.col(0) = -random.inner_point(Q);
  return problem_of(B, random.vector(n).array().square() + .1, random.vector(n), Q);
}
} // namespace

// W p = W⁻¹ s, W is symmetric, and W⁻¹ its inverse; steps end on the boundary.
BOOST_AUTO_TEST_CASE(scaling_maps_both_points_to_one)
{
  const CircularRows    Q = blocks({1, 3, 6, 2, 1});
  const CircularAlgebra algebra{Q};
  Random                random(1);
  for (int sample = 0; sample < 100; ++sample)
    {
      const Vector s = random.inner_point(Q), p = random.inner_point(Q), y = random.vector(13), z = random.vector(13);
      const CircularScaling W(Q, s, p);
      BOOST_TEST((W.lambda() - W.apply_inverse(s)).norm() < 1e-12 * W.lambda().norm());
      BOOST_TEST((W.apply(W.apply_inverse(y)) - y).norm() < 1e-11 * y.norm());
      BOOST_TEST(std::abs(y.dot(W.apply(z)) - z.dot(W.apply(y))) < 1e-11 * y.norm() * W.apply(z).norm() + 1e-13);
      BOOST_TEST((W.inverse_of_block(2) * y.segment(4, 6) - W.apply_inverse(y).segment(4, 6)).norm() <
                 1e-11 * W.apply_inverse(y).norm());
      BOOST_TEST((algebra.product(s, algebra.quotient(s, z)) - z).norm() < 1e-10 * algebra.quotient(s, z).norm());
      const Vector dy    = 100. * y;
      const double alpha = algebra.longest_step(s, dy);
      BOOST_TEST(Q.excess(-(s + .999 * alpha * dy)).maxCoeff() < 0.);
      if (alpha < 1.)
        BOOST_TEST(std::abs(Q.excess(-(s + alpha * dy)).maxCoeff()) < 1e-10 * (s.norm() + alpha * dy.norm()));
    }
}

// B = -I and equal masses: the projection on Q itself, which has a closed form.
BOOST_AUTO_TEST_CASE(projects_on_the_cone_of_one_block)
{
  const CircularRows Q = blocks({6, 3, 1, 2});
  Random             random(2);
  for (int sample = 0; sample < 50; ++sample)
    {
      const Vector      U = random.vector(12);
      const SaddlePoint x = CircularInteriorPoint(to_tolerance(1e-7))
                                .project(problem_of(-Eigen::MatrixXd::Identity(12, 12), Vector::Ones(12), U, Q));
      BOOST_TEST_REQUIRE(x.converged());
      BOOST_TEST(x.certificate.guaranteed);
      BOOST_TEST((x.u - Q.nearest(U)).norm() <= x.certificate.relative_error_bound * x.certificate.scale + 1e-15);
      BOOST_TEST((x.u - Q.nearest(U)).norm() < 1e-6);
      BOOST_TEST(Q.excess(-x.u).maxCoeff() <= 4. * epsilon * max_abs(x.u));
    }
}

// Blocks of one row are inequalities: the answer of the other interior point.
BOOST_AUTO_TEST_CASE(blocks_of_one_row_are_inequalities)
{
  Random             random(3);
  const CircularRows Q = blocks(std::vector<Index>(8, 1));
  for (int sample = 0; sample < 10; ++sample)
    {
      const ProjectionProblem circular = random_problem(random, Q, 6);
      ProjectionProblem       plain    = circular;
      plain.circles                    = nullptr;
      const SaddlePoint x              = CircularInteriorPoint(to_tolerance(1e-7)).project(circular);
      const SaddlePoint y              = InteriorPoint(to_tolerance(1e-7)).project(plain);
      BOOST_TEST_REQUIRE(x.converged());
      BOOST_TEST(circular.V->norm(x.u - y.u) < 1e-6 * x.certificate.scale);
    }
}

// In blocks of three rows circles are the limit of polygons: tangents at 720 angles.
BOOST_AUTO_TEST_CASE(circles_are_limits_of_polygons)
{
  Random             random(4);
  const CircularRows Q = blocks({3, 3, 3, 1});
  for (int sample = 0; sample < 5; ++sample)
    {
      const ProjectionProblem problem = random_problem(random, Q, 7);
      const Eigen::MatrixXd   B       = static_cast<const SparseConstraint &>(*problem.B).matrix();
      constexpr int           n       = 720;
      Eigen::MatrixXd         tangents(3 * n + 1, 7);
      for (Index block = 0; block < 3; ++block)
        for (int k = 0; k < n; ++k)
          tangents.row(block * n + k) = B.row(3 * block) + std::cos(2. * M_PI * k / n) * B.row(3 * block + 1) +
                                        std::sin(2. * M_PI * k / n) * B.row(3 * block + 2);
      tangents.bottomRows(1)     = B.bottomRows(1);
      ProjectionProblem polygons = problem;
      polygons.circles           = nullptr;
      polygons.B                 = std::make_shared<SparseConstraint>(tangents.sparseView());
      const SaddlePoint x        = CircularInteriorPoint(to_tolerance(1e-7)).project(problem);
      const SaddlePoint y        = InteriorPoint(to_tolerance(1e-7)).project(polygons);
      BOOST_TEST_REQUIRE(x.converged());
      BOOST_TEST_REQUIRE(y.converged());
      BOOST_TEST(problem.V->norm(x.u - y.u) < 5e-3 * x.certificate.scale);
    }
}

// What the certificate says of a wrong answer is not below its error, and it sees what leaves the cone.
BOOST_AUTO_TEST_CASE(certificates_hold_for_wrong_answers)
{
  Random             random(5);
  const CircularRows Q = blocks({3, 4, 2});
  for (int sample = 0; sample < 30; ++sample)
    {
      const ProjectionProblem problem = random_problem(random, Q, 6);
      const SaddlePoint       x       = CircularInteriorPoint(to_tolerance(1e-6)).project(problem);
      BOOST_TEST_REQUIRE(x.converged());
      const Vector u = x.u + .1 * random.vector(6), p = Q.nearest(x.p + .1 * random.vector(9));
      Certificate  c = certify(problem, u, p);
      if (c.guaranteed)
        BOOST_TEST(problem.V->norm(u - x.u) <= c.relative_error_bound * c.scale);
      Vector inside = Vector::Zero(6), Bu(9);
      inside(0)     = 1.;
      c             = certify(problem, x.u + .1 * inside, p);
      BOOST_TEST(c.guaranteed);
      BOOST_TEST(.1 * problem.V->norm(inside) <= c.relative_error_bound * c.scale);
      problem.B->apply(u, Bu);
      BOOST_TEST((certify(problem, u, p).primal_infeasibility > 0.) == (Q.excess(Bu).maxCoeff() > 0.));
    }
}

// What is asked of single rows is not answered where they belong together; what the norms say is.
BOOST_AUTO_TEST_CASE(diagnostics_ask_no_single_rows)
{
  Random                  random(7);
  const ProjectionProblem problem = random_problem(random, blocks({3, 4}), 6);
  const Diagnostics       found   = diagnose(problem, CircularInteriorPoint(to_tolerance(1e-7)).project(problem));
  BOOST_TEST(!found.maximum_principle.has_value());
  BOOST_TEST(!found.positive_couplings.has_value());
  BOOST_TEST(!found.multiplier_is_unique.has_value());
  BOOST_TEST(!found.gamma_at_least.has_value());
  BOOST_TEST(found.adjoint_defect < 1e-12);
  BOOST_TEST_REQUIRE(found.orthogonality_defect.has_value());
  BOOST_TEST(*found.orthogonality_defect < 1e-6);
}

// Moreau's law keeps energy for e = 1 and ends in the cone.
BOOST_AUTO_TEST_CASE(impacts_end_in_the_cone)
{
  Random             random(6);
  const CircularRows Q = blocks({3, 4, 2, 1});
  for (int sample = 0; sample < 20; ++sample)
    {
      const ProjectionProblem problem = random_problem(random, Q, 6);
      const Impact            impact  = post_impact(problem, CircularInteriorPoint(to_tolerance(1e-6)), .5);
      BOOST_TEST_REQUIRE(impact.effort.converged());
      BOOST_TEST(approach_speed(problem, impact.u_plus) < 1e-4);
      BOOST_TEST(problem.V->norm(impact.u_plus) <= problem.V->norm(problem.U) * (1. + 1e-8));
    }
}

BOOST_AUTO_TEST_SUITE_END()
