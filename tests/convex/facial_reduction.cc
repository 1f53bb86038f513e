// SPDX-License-Identifier: GPL-3.0-or-later
#include "convex/solvers/facial_reduction.h"

#include "convex/certificate.h"
#include "convex/solvers/automatic_projector.h"
#include "convex/solvers/lawson_hanson.h"
#include "tests/oracles.h"

#include <boost/test/unit_test.hpp>

#include <Eigen/QR>

BOOST_AUTO_TEST_SUITE(facial_reduction)

namespace utf = boost::unit_test;
using namespace moreau;
using namespace moreau::convex;

namespace
{
/// Random rows in n unknowns, of which a random self-stress presses the first ones; their rank is n_pressed - 1.
struct Pressed
{
  ProjectionProblem problem;
  Vector            s; ///< on the pressed rows
};

Pressed pressed_problem(const unsigned int seed, const Index n, const Index n_pressed, const Index n_other)
{
  oracles::Random random(seed);
  Eigen::MatrixXd B(n_pressed + n_other, n);
  for (Index c = 0; c < B.rows(); ++c)
    B.row(c) = random.normals(n).transpose();
  Pressed result;
  result.s = Vector::NullaryExpr(n_pressed, [&](Index) { return .1 + random.uniform(); });
  // the last pressed row balances the others
  B.row(n_pressed - 1) = -(result.s.head(n_pressed - 1).transpose() * B.topRows(n_pressed - 1)) / result.s(n_pressed - 1);
  // the other rows can be opened within the face
  const Eigen::MatrixXd kernel = Eigen::FullPivHouseholderQR<Eigen::MatrixXd>(B.topRows(n_pressed).transpose())
                                     .matrixQ()
                                     .
                                     operator*(Eigen::MatrixXd::Identity(n, n))
                                     .rightCols(n - n_pressed + 1);
  const Vector inner = kernel * random.normals(kernel.cols());
  for (Index c = n_pressed; c < B.rows(); ++c)
    if (B.row(c).dot(inner) > 0.)
      B.row(c) *= -1.;
  result.problem.V = std::make_shared<DiagonalSpace>(oracles::masses(random, n, 2.), 1);
  result.problem.B = std::make_shared<SparseConstraint>(SparseConstraint::Matrix(B.sparseView()));
  result.problem.U = random.normals(n);
  return result;
}

StoppingCriterion to_tolerance(const double tolerance)
{
  StoppingCriterion criterion;
  criterion.tolerance = tolerance;
  return criterion;
}

/// A row of n spheres of mass 1 that touch each other, and `n_walls` of the walls at its ends.
ProjectionProblem row_of_spheres(const int n, const int n_walls)
{
  std::vector<PairConstraint::Pair> pairs;
  Eigen::MatrixXd                   e = Eigen::MatrixXd::Ones(1, n - 1 + n_walls);
  for (int i = 0; i + 1 < n; ++i)
    pairs.push_back({i, i + 1});
  const int ends[] = {0, n - 1};
  for (int wall = 0; wall < n_walls; ++wall)
    {
      pairs.push_back({ends[wall], PairConstraint::fixed_body});
      e(0, n - 1 + wall) = wall == 0 ? -1. : 1.;
    }
  ProjectionProblem problem;
  problem.V = std::make_shared<DiagonalSpace>(Vector::Ones(n), 1);
  problem.B = std::make_shared<PairConstraint>(1, n, pairs, e);
  oracles::Random random(5);
  problem.U = random.normals(n);
  return problem;
}
} // namespace

BOOST_AUTO_TEST_CASE(a_row_without_entries_is_no_face)
{
  Eigen::MatrixXd rows = Eigen::MatrixXd::Zero(2, 3);
  rows.row(0) << 1., -1., 0.;
  ProjectionProblem problem;
  problem.V = std::make_shared<DiagonalSpace>(Vector::Ones(3));
  problem.B = std::make_shared<SparseConstraint>(rows.sparseView());
  problem.U = Vector::Ones(3);
  BOOST_TEST(find_face(problem).n_rigid == 0);
}

// s >= 0 with B*s = 0 is unique here, and its support is what cannot open.
BOOST_AUTO_TEST_CASE(the_rows_that_a_self_stress_presses_are_rigid)
{
  for (const unsigned int seed : {1u, 2u, 3u, 4u, 5u})
    {
      const Pressed pressed = pressed_problem(seed, 30, 20, 25);
      const Face    face    = find_face(pressed.problem);
      BOOST_TEST_REQUIRE(face.n_rigid == 20);
      for (Index c = 0; c < 45; ++c)
        BOOST_TEST(static_cast<bool>(face.rigid[c]) == (c < 20));
      const Vector s = face.stress.head(20) / face.stress.head(20).norm(), expected = pressed.s.normalized();
      BOOST_TEST((s - expected).norm() <= 1e-8);
      // w opens all others, within the face
      BOOST_TEST_REQUIRE(!face.inner.empty());
      Vector Bw(45);
      pressed.problem.B->apply(face.inner.w, Bw);
      BOOST_TEST(Bw.head(20).lpNorm<Eigen::Infinity>() <= 1e-12 * face.inner.w.lpNorm<Eigen::Infinity>());
      BOOST_TEST(Bw.tail(25).maxCoeff() < 0.);
    }
}

// The projection is the same as by an active set that needs no multipliers of the pressed rows; the bound is true.
BOOST_AUTO_TEST_CASE(projections_on_faces_are_right_and_guaranteed)
{
  for (const unsigned int seed : {1u, 2u, 3u, 4u, 5u, 6u, 7u, 8u})
    {
      const ProjectionProblem problem = pressed_problem(seed, 24, 12, 20).problem;
      const Face              face    = find_face(problem);
      BOOST_TEST_REQUIRE(face.n_rigid == 12);
      const SaddlePoint x = project_on_face(problem, face, to_tolerance(1e-7));
      BOOST_TEST_MESSAGE(x.method << " bound " << x.certificate.relative_error_bound << " natural "
                                  << x.certificate.natural_residual << " floor " << x.certificate.round_off_floor
                                  << " infeas " << x.certificate.primal_infeasibility << " g " << x.certificate.guaranteed);
      BOOST_TEST(x.converged());
      BOOST_TEST(x.p.minCoeff() >= 0.);
      // an oracle: the cone within the kernel of the rigid rows, in an orthonormal basis of it
      const auto           &B     = dynamic_cast<const SparseConstraint &>(*problem.B).matrix();
      const Vector          roots = dynamic_cast<const DiagonalSpace &>(*problem.V).masses().cwiseSqrt();
      const Eigen::MatrixXd B_hat = Eigen::MatrixXd(B) * roots.cwiseInverse().asDiagonal();
      const Eigen::MatrixXd Q     = Eigen::FullPivHouseholderQR<Eigen::MatrixXd>(B_hat.topRows(12).transpose()).matrixQ() *
                                Eigen::MatrixXd::Identity(24, 24);
      const Eigen::MatrixXd kernel = Q.rightCols(24 - 11);
      ProjectionProblem     within;
      within.V = std::make_shared<DiagonalSpace>(Vector::Ones(kernel.cols()), 1);
      within.B =
          std::make_shared<SparseConstraint>(SparseConstraint::Matrix((B_hat.bottomRows(20) * kernel).eval().sparseView()));
      within.U                 = kernel.transpose() * roots.cwiseProduct(problem.U);
      const SaddlePoint oracle = LawsonHanson(to_tolerance(1e-12)).project(within);
      const Vector      u      = (kernel * oracle.u).cwiseQuotient(roots);
      const double      error  = problem.V->norm(x.u - u) / x.certificate.scale;
      BOOST_TEST(error <= 1e-7);
      BOOST_TEST(error <= x.certificate.relative_error_bound + 1e-9); // of the oracle
    }
}

// Rows with room keep no stress from holding: the face is that of the others, and within it every solver may be an oracle.
BOOST_AUTO_TEST_CASE(rows_with_room_are_no_part_of_a_face)
{
  for (const unsigned int seed : {1u, 2u, 3u, 4u, 5u, 6u})
    {
      ProjectionProblem problem = pressed_problem(seed, 24, 12, 20).problem;
      oracles::Random   random(seed);
      problem.b = Vector::Zero(32);
      for (Index c = 12; c < 32; c += 2)
        problem.b(c) = .3 * random.uniform();
      const Face face = find_face(problem);
      BOOST_TEST_REQUIRE(face.n_rigid == 12);
      BOOST_TEST(face.inner.empty());
      const SaddlePoint x = project_on_face(problem, face, to_tolerance(1e-7));
      BOOST_TEST(x.p.minCoeff() >= 0.);
      BOOST_TEST(x.certificate.natural_residual <= 1e-7);
      // equalities as two inequalities, with a little room so that an active set gets through
      const auto     &B    = dynamic_cast<const SparseConstraint &>(*problem.B).matrix();
      Eigen::MatrixXd both = Eigen::MatrixXd(44, 24);
      both << Eigen::MatrixXd(B), -Eigen::MatrixXd(B).topRows(12);
      ProjectionProblem within = problem;
      within.B                 = std::make_shared<SparseConstraint>(SparseConstraint::Matrix(both.sparseView()));
      within.b                 = Vector::Constant(44, 1e-9);
      within.b.segment(12, 20) = problem.b.segment(12, 20);
      const SaddlePoint oracle = LawsonHanson(to_tolerance(1e-10)).project(within);
      BOOST_TEST(problem.V->norm(x.u - oracle.u) <= 1e-6 * x.certificate.scale);

      // a neighbouring problem knows the stress
      Vector stress = face.stress.array() * (1. + 1e-6 * random.normals(32).array());
      BOOST_TEST(face_of_stress(problem, stress).n_rigid == 12);
      StoppingCriterion on_residual   = to_tolerance(1e-8);
      on_residual.on_natural_residual = true;
      const SaddlePoint y = or_on_face(problem, LawsonHanson(to_tolerance(.5)).project(problem), on_residual, &stress);
      BOOST_TEST(y.converged());
      BOOST_TEST(problem.V->norm(y.u - x.u) <= 1e-6 * x.certificate.scale);
      BOOST_TEST(stress.size() == 32);

      // one of the rows that the stress presses gets room: it holds no more
      problem.b(3) = .1;
      BOOST_TEST(face_of_stress(problem, stress).n_rigid == 0);
      BOOST_TEST(find_face(problem).n_rigid == 0);
      BOOST_CHECK_THROW(project_on_face(problem, face, to_tolerance(1e-6)), std::invalid_argument);
    }
}

// Spheres in a row between two walls cannot move at all; with one wall they can, and nothing is rigid.
BOOST_AUTO_TEST_CASE(a_row_is_rigid_between_two_walls_only)
{
  for (const int n_walls : {0, 1})
    {
      const Face face = find_face(row_of_spheres(200, n_walls));
      BOOST_TEST(face.n_rigid == 0);
      BOOST_TEST(!face.inner.empty());
    }
  const ProjectionProblem closed = row_of_spheres(200, 2);
  const Face              face   = find_face(closed);
  BOOST_TEST(face.n_rigid == 201);
  BOOST_TEST((face.stress.array() - 1.).abs().maxCoeff() <= 1e-9);
  const SaddlePoint x = project_on_face(closed, face, to_tolerance(1e-6));
  BOOST_TEST(x.converged());
  BOOST_TEST(x.certificate.guaranteed);
  BOOST_TEST(x.u.isZero(0.));
}

// A self-stress that appears only once others hold: found in further rounds, each of which makes more rows rigid.
BOOST_AUTO_TEST_CASE(faces_of_faces_are_found)
{
  // v1 <= 0, -v1 <= 0, then v1 + v2 <= 0 and -v2 <= 0 press each other because v1 = 0
  SparseConstraint::Matrix B(4, 3);
  B.insert(0, 0) = 1.;
  B.insert(1, 0) = -1.;
  B.insert(2, 0) = 1e-3;
  B.insert(2, 1) = 1.;
  B.insert(3, 1) = -1.;
  ProjectionProblem problem;
  problem.V       = std::make_shared<DiagonalSpace>(Vector::Ones(3), 1);
  problem.B       = std::make_shared<SparseConstraint>(B);
  problem.U       = Vector::LinSpaced(3, 1., 3.);
  const Face face = find_face(problem);
  BOOST_TEST(face.n_rigid == 4);
  const SaddlePoint x = project_on_face(problem, face, to_tolerance(1e-9));
  BOOST_TEST(x.converged());
  BOOST_TEST((x.u - Vector(Eigen::Vector3d(0., 0., 3.))).norm() <= 1e-12);
}

// Velocities that fall to a quarter from body to body stay tied to each other where they are as small as rounding, and what
// nothing moves rests exactly.
BOOST_AUTO_TEST_CASE(velocities_that_die_away_stay_in_their_rows)
{
  constexpr int            n = 40, n_resting = 5; // 4^-22 is below 1e-13
  SparseConstraint::Matrix B(2 * (n - 1) + 2 * n_resting, n + n_resting);
  for (int i = 0; i + 1 < n; ++i)
    for (int side = 0; side < 2; ++side)
      {
        B.insert(2 * i + side, i)     = side == 0 ? 1. : -1.;
        B.insert(2 * i + side, i + 1) = side == 0 ? -4. : 4.;
      }
  for (int i = 0; i < n_resting; ++i)
    for (int side = 0; side < 2; ++side)
      {
        B.insert(2 * (n - 1 + i) + side, n + i) = side == 0 ? 1. : -1.;
        if (i > 0)
          B.insert(2 * (n - 1 + i) + side, n + i - 1) = side == 0 ? -1. : 1.;
      }
  ProjectionProblem problem;
  problem.V       = std::make_shared<DiagonalSpace>(Vector::Ones(n + n_resting), 1);
  problem.B       = std::make_shared<SparseConstraint>(B);
  problem.U       = Vector::Ones(n + n_resting);
  const Face face = find_face(problem);
  BOOST_TEST(face.n_rigid == B.rows());
  const SaddlePoint x = project_on_face(problem, face, to_tolerance(1e-5));
  BOOST_TEST(x.certificate.guaranteed); // by whatever bound: multipliers grow from body to body
  for (int i = 0; i + 1 < n; ++i)
    BOOST_TEST(std::abs(x.u(i) - 4. * x.u(i + 1)) <= 4e-15);
  // Σ 4^-i U_i / Σ 16^-i
  BOOST_TEST(std::abs(x.u(0) - 4. / 3. * 15. / 16.) <= 1e-5);
  BOOST_TEST(x.u.tail(n_resting).isZero(0.));
}

// A self-stress that hardly presses one contact has to be taken many times until that one pushes: impulses are huge, but
// what they hold rests exactly, so that rounding takes nothing from the bound. A body beside them moves on.
BOOST_AUTO_TEST_CASE(huge_impulses_between_what_rests_cost_no_digits)
{
  constexpr double         weak = 1e-6;
  SparseConstraint::Matrix B(4, 4);
  B.insert(0, 0) = 1.;
  B.insert(1, 0) = -1.;
  B.insert(1, 1) = -weak;
  B.insert(2, 1) = 1.;
  B.insert(3, 2) = 1.; // may open
  B.insert(3, 3) = -1.;
  ProjectionProblem problem;
  problem.V       = std::make_shared<DiagonalSpace>(Vector::Ones(4), 1);
  problem.B       = std::make_shared<SparseConstraint>(B);
  problem.U       = Eigen::Vector4d(.5, -1., 2., 0.);
  const Face face = find_face(problem);
  BOOST_TEST_REQUIRE(face.n_rigid == 3);
  const SaddlePoint x = project_on_face(problem, face, to_tolerance(1e-6));
  BOOST_TEST((x.u - Vector(Eigen::Vector4d(0., 0., 1., 1.))).norm() <= 1e-6);
  BOOST_TEST(x.p.maxCoeff() >= .99 / weak);
  BOOST_TEST(x.converged());
  BOOST_TEST(x.certificate.guaranteed);
  BOOST_TEST(x.certificate.relative_error_bound <= 1e-6);
}

BOOST_AUTO_TEST_CASE(rigid_rows_of_small_problems_are_known)
{
  ProjectionProblem problem = row_of_spheres(5, 2); // between two walls
  BOOST_TEST_REQUIRE(rigid_rows(problem, 1000).has_value());
  BOOST_TEST(rigid_rows(problem, 1000)->n_rows == 6);
  BOOST_TEST(rigid_rows(problem, 1000)->is_rigid.sum() == 6.);
  BOOST_TEST(!rigid_rows(problem, 5).has_value());
  BOOST_TEST(rigid_rows(row_of_spheres(5, 1), 1000).value().n_rows == 0);
  problem.b    = Vector::Zero(6);
  problem.b(2) = .1; // room for all
  BOOST_TEST(rigid_rows(problem, 1000).value().n_rows == 0);
  problem.b(2) = -.1;
  BOOST_TEST(!rigid_rows(problem, 1000).has_value());
}

BOOST_AUTO_TEST_CASE(faces_have_rigid_rows_without_room)
{
  ProjectionProblem problem = row_of_spheres(5, 2);
  const Face        face    = find_face(problem);
  BOOST_CHECK_THROW(project_on_face(problem, Face(), to_tolerance(1e-6)), std::invalid_argument);
  problem.b = Vector::Constant(6, .1);
  BOOST_CHECK_THROW(project_on_face(problem, face, to_tolerance(1e-6)), std::invalid_argument);
}

BOOST_AUTO_TEST_SUITE_END()
