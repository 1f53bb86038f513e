// SPDX-License-Identifier: GPL-3.0-or-later
#include "convex/solvers/circular_face.h"

#include "convex/certificate.h"
#include "convex/solvers/circular_interior_point.h"

#include <boost/test/unit_test.hpp>

#include <cmath>

BOOST_AUTO_TEST_SUITE(circular_face)

using namespace moreau;
using namespace moreau::convex;

namespace
{
/// -Bv of three unknowns, rows of a circle of size 3 first.
ProjectionProblem problem_of(const Eigen::MatrixXd &minus_B, const Eigen::Vector3d &U)
{
  CircularRows Q;
  Q.append(3);
  for (Index row = 3; row < minus_B.rows(); ++row)
    Q.append(1);
  ProjectionProblem problem;
  problem.V       = std::make_shared<DiagonalSpace>(Eigen::Vector3d(1., 2., 3.));
  problem.B       = std::make_shared<SparseConstraint>((-minus_B).eval().sparseView());
  problem.U       = U;
  problem.circles = std::make_shared<CircularRows>(Q);
  return problem;
}

SaddlePoint on_face(const ProjectionProblem &problem, const Vector &stress)
{
  return CircularOnFace({}, stress).project(problem);
}

/// v_0 >= |(v_0, v_1)|: v_0 >= 0 and v_1 = 0, pressed by (1, -1, 0) on the boundary.
ProjectionProblem half_line(const Eigen::Vector3d &U)
{
  Eigen::MatrixXd y(3, 3);
  y << 1., 0., 0., 1., 0., 0., 0., 1., 0.;
  return problem_of(y, U);
}
} // namespace

// The interior point alone does not get there: multipliers are unbounded, and no iterate is admissible.
BOOST_AUTO_TEST_CASE(a_circle_that_is_pressed_on_its_boundary_is_a_half_line)
{
  const Vector stress = Eigen::Vector3d(2., -2., 0.);
  for (const Eigen::Vector3d &U : {Eigen::Vector3d(1., .7, -.4), Eigen::Vector3d(-1., .7, 2.)})
    {
      const ProjectionProblem problem = half_line(U);
      const SaddlePoint       x       = on_face(problem, stress);
      BOOST_TEST(x.certificate.guaranteed);
      BOOST_TEST(x.certificate.relative_error_bound <= 1e-3);
      const Eigen::Vector3d exact(std::max(0., U(0)), 0., U(2));
      const double          error = problem.V->norm(x.u - exact);
      BOOST_TEST(error <= 1e-6);
      BOOST_TEST(error <= x.certificate.relative_error_bound * x.certificate.scale);
      BOOST_TEST(problem.excess(-x.p).maxCoeff() <= 0.);
    }
  BOOST_TEST(!CircularInteriorPoint({}).project(half_line({1., .7, -.4})).certificate.guaranteed);
}

// v_0 >= |(v_1, v_2)| and v_0 <= 0: nothing moves, and the bound is at rounding.
BOOST_AUTO_TEST_CASE(a_circle_that_is_pressed_inside_is_rigid)
{
  Eigen::MatrixXd y(4, 3);
  y << 1., 0., 0., 0., 1., 0., 0., 0., 1., -1., 0., 0.;
  const SaddlePoint x = on_face(problem_of(y, {1., .7, -.4}), Eigen::Vector4d(1., 0., 0., 1.));
  BOOST_TEST(x.converged());
  BOOST_TEST(x.certificate.guaranteed);
  BOOST_TEST(x.u.isZero(0.));
  BOOST_TEST(x.certificate.relative_error_bound <= 1e-9);
}

// What is no self-stress, or leaves a circle as it is, changes nothing.
BOOST_AUTO_TEST_CASE(other_stresses_are_not_used)
{
  Eigen::MatrixXd y(3, 3);
  y << 1., 0., 0., 0., 1., 0., 0., 0., 1.;
  const ProjectionProblem problem = problem_of(y, {-1., .7, .4});
  const SaddlePoint       alone   = CircularInteriorPoint({}).project(problem);
  for (const Vector &stress : {Vector(), Vector(Vector::Zero(3)), Vector(Eigen::Vector3d(1., -1., 0.)),
                               Vector(Eigen::Vector3d(1., 0., 0.)), Vector(Vector::Ones(2))})
    {
      const SaddlePoint x = on_face(problem, stress);
      BOOST_TEST(x.method == alone.method);
      BOOST_TEST(x.u == alone.u);
    }
}

BOOST_AUTO_TEST_SUITE_END()
