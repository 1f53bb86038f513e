// SPDX-License-Identifier: GPL-3.0-or-later
#include "convex/certificate.h"
#include "convex/solvers/inner_direction.h"
#include "exchange/formats.h"
#include "exchange/verdict.h"
#include "tests/exchange/examples.h"

#include <Eigen/Cholesky>
#include <Eigen/LU>

BOOST_AUTO_TEST_SUITE(verdict)

namespace tt = boost::test_tools;
using namespace moreau;
using namespace moreau::exchange;

namespace
{
convex::StoppingCriterion to(const double tolerance)
{
  convex::StoppingCriterion criterion;
  criterion.tolerance = tolerance;
  return criterion;
}

/// The projection by trying all sets of active rows: few rows only.
Vector projection(const ProjectionData &data)
{
  const Eigen::MatrixXd B(data.B), inverse = Eigen::MatrixXd(data.M).inverse();
  const Index           m = B.rows();
  for (int set = 0; set < 1 << m; ++set)
    {
      std::vector<Index> rows;
      for (Index r = 0; r < m; ++r)
        if (set >> r & 1)
          rows.push_back(r);
      const Eigen::MatrixXd active = B(rows, Eigen::all);
      const Vector          p      = rows.empty()
                                         ? Vector()
                                         : Vector((active * inverse * active.transpose()).ldlt().solve(active * data.U - data.b(rows)));
      const Vector          u      = rows.empty() ? data.U : Vector(data.U - inverse * active.transpose() * p);
      if ((rows.empty() || p.minCoeff() >= -1e-12) && (B * u - data.b).maxCoeff() <= 1e-11)
        return u;
    }
  BOOST_FAIL("no set of rows solves the problem");
  return {};
}

double norm(const ProjectionData &data, const Vector &v) { return std::sqrt(v.dot(data.M * v)); }
} // namespace

// Bounds from both sides hold for wrong answers, right ones, velocities or impulses only, and for any symmetric mass matrix.
BOOST_AUTO_TEST_CASE(bounds_enclose_the_true_error)
{
  for (unsigned int seed = 0; seed < 40; ++seed)
    {
      const ProblemFile given = random_problem(seed, 6, 7, seed % 2 == 0);
      const Vector      u     = projection(given.problem);
      const Verdict     own   = exchange::verdict(given.problem, {}, to(1e-6), "own");
      const double      scale = own.certificate.scale;
      BOOST_TEST_CONTEXT("seed " << seed)
      {
        BOOST_TEST(own.own.converged());
        BOOST_TEST(own.is_own);
        BOOST_TEST(own.guaranteed);
        BOOST_TEST(norm(given.problem, own.own.u - u) <= own.at_most * scale + 1e-10);
        BOOST_TEST(own.at_most <= 1e-6);
        const Vector wrong = u + .01 * Vector::LinSpaced(u.size(), -1., 2.), p = 1.1 * own.own.p;
        for (const Answer &answer : {Answer{wrong, p}, Answer{wrong, {}}, Answer{{}, p}})
          {
            const Verdict v     = exchange::verdict(given.problem, answer, to(1e-6), "wrong");
            const Vector  said  = answer.u.size() > 0 ? answer.u
                                                      : Vector(given.problem.U - Eigen::MatrixXd(given.problem.M).inverse() *
                                                                                     (given.problem.B.transpose() * p));
            const double  error = norm(given.problem, said - u) / v.certificate.scale;
            BOOST_TEST(v.guaranteed);
            BOOST_TEST(v.at_least <= error + 1e-10);
            BOOST_TEST(v.at_most >= error - 1e-10);
            BOOST_TEST(v.at_most - v.at_least <= 1e-5);
          }
      }
    }
}

BOOST_AUTO_TEST_CASE(an_empty_set_and_masses_that_are_none_are_said)
{
  ProblemFile given = random_problem(1, 3, 2, true);
  given.problem.B   = (Eigen::MatrixXd(2, 3) << 1., 0., 0., -1., 0., 0.).finished().sparseView();
  given.problem.b   = Vector::Constant(2, -1.); // u_0 <= -1 and u_0 >= 1
  BOOST_TEST((exchange::verdict(given.problem, {}, to(1e-6), "empty").own.status == convex::Status::infeasible));
  given                          = random_problem(1, 3, 2, true);
  given.problem.M.coeffRef(1, 1) = -1.;
  BOOST_TEST(complaint([&] { exchange::verdict(given.problem, {}, to(1e-6), "name"); }) ==
             "name: M is not positive definite; every velocity needs a positive mass.");
  given.problem.M.coeffRef(1, 1) = 1.;
  given.problem.M.coeffRef(0, 1) = given.problem.M.coeffRef(1, 0) = 50.;
  BOOST_TEST(complaint([&] { exchange::require_sound(given.problem, "name"); }) ==
             "name: M is not positive definite; every velocity needs a positive mass.");
}

// Where U is 0 it is its own projection, and there is nothing that errors could be relative to.
BOOST_AUTO_TEST_CASE(of_no_velocity_errors_are_absolute)
{
  ProblemFile given = random_problem(1, 3, 2, false);
  given.problem.U.setZero();
  given.problem.b.setZero();
  given.answer.p.resize(0);
  given.answer.u      = Vector::Unit(3, 0);
  const double  error = norm(given.problem, given.answer.u);
  const Verdict wrong = exchange::verdict(given.problem, given.answer, to(1e-6), "wrong");
  BOOST_TEST(wrong.at_least <= error * (1. + 1e-12));
  BOOST_TEST(wrong.at_most >= error * (1. - 1e-12));
  given.answer.u.setZero();
  const Verdict right = exchange::verdict(given.problem, given.answer, to(1e-6), "right");
  BOOST_TEST(right.at_most == 0.);
  BOOST_TEST(right.certifies(1e-6));
  BOOST_TEST(exchange::verdict(given.problem, {}, to(1e-6), "own").certifies(1e-6));
}

// A tolerance is relative: where there is no scale an error below it may be a hundred times all velocities that are there.
BOOST_AUTO_TEST_CASE(without_a_scale_exact_answers_are_certified_only)
{
  ProblemFile given;
  given.problem.B = (-Eigen::MatrixXd::Identity(2, 2)).sparseView();
  given.problem.U = Vector::Zero(2);
  given.problem.b = Vector::Constant(2, 1e-9);
  for (const double p : {0., 1e-7})
    {
      const Verdict v = exchange::verdict(given.problem, {{}, Vector::Unit(2, 0) * p}, to(1e-6), "name");
      BOOST_TEST(v.certificate.scale == 0.);
      BOOST_TEST(v.at_most == p, tt::tolerance(1e-12));
      BOOST_TEST(v.certifies(1e-6) == (p == 0.));
    }
}

// The right u beside impulses that make another one, and impulses that make u but press where nothing touches.
BOOST_AUTO_TEST_CASE(wrong_multipliers_beside_the_right_velocity_are_not_certified)
{
  ProblemFile floor;
  floor.problem.B   = (Eigen::MatrixXd(1, 3) << 0., 0., -1.).finished().sparseView();
  floor.problem.U   = (Vector(3) << 1., 0., -1.).finished();
  const auto judged = [&](const double p) {
    return exchange::verdict(floor.problem, {Vector::Unit(3, 0), Vector::Constant(1, p)}, to(1e-6), "name");
  };
  BOOST_TEST(judged(1.).certifies(1e-6));
  BOOST_TEST(judged(50.).at_most <= 1e-6);
  BOOST_TEST(judged(50.).of_multipliers == 49. / std::sqrt(2.), tt::tolerance(1e-6)); // |U| = √2
  BOOST_TEST(!judged(50.).certifies(1e-6));
  BOOST_TEST(exchange::verdict(floor.problem, {Vector::Unit(3, 0), {}}, to(1e-6), "name").certifies(1e-6));

  ProblemFile twice; // W = [[1, 1], [1, 1]], q = (-1, -2): p = (0, 2)
  twice.problem.B   = (Eigen::MatrixXd(2, 1) << 1., 1.).finished().sparseView();
  twice.problem.U   = Vector::Zero(1);
  twice.problem.b   = (Vector(2) << -1., -2.).finished();
  const auto shared = [&](const double first) {
    return exchange::verdict(twice.problem, {{}, (Vector(2) << first, 2. - first).finished()}, to(1e-6), "name");
  };
  BOOST_TEST(shared(0.).certifies(1e-6));
  BOOST_TEST(shared(2.).at_most <= 1e-6);
  BOOST_TEST(!shared(2.).certifies(1e-6));
  twice.problem.b = Vector::Constant(2, -2.); // now both press, and nobody knows how much each
  for (const double first : {0., .7, 2.})
    BOOST_TEST(shared(first).certifies(1e-6));
  BOOST_TEST(!shared(2.5).certifies(1e-6));
}

// What solvers call converged is certified with its multipliers.
BOOST_AUTO_TEST_CASE(own_answers_are_certified_with_their_multipliers)
{
  for (unsigned int seed = 0; seed < 40; ++seed)
    {
      const ProblemFile given = random_problem(seed, 6, 7, seed % 2 == 0);
      const Verdict     own   = exchange::verdict(given.problem, {}, to(1e-6), "own");
      BOOST_TEST(exchange::verdict(given.problem, {own.own.u, own.own.p}, to(1e-6), "again").certifies(1e-6));
      BOOST_TEST(exchange::verdict(given.problem, {{}, own.own.p}, to(1e-6), "again").certifies(1e-6));
    }
}

// Rows that admit one velocity along an axis only: nothing is inside with room to spare, and no bound is claimed.
BOOST_AUTO_TEST_CASE(sets_without_interior_have_estimates)
{
  ProblemFile given = random_problem(1, 3, 2, true);
  given.problem.B   = (Eigen::MatrixXd(2, 3) << 1., 0., 0., -1., 0., 0.).finished().sparseView();
  given.problem.b   = Vector(); // u_0 = 0
  const Posed posed(given.problem, "name");
  BOOST_TEST(posed.problem().expansion.empty());
  const Verdict v = exchange::verdict(given.problem, {}, to(1e-6), "name");
  BOOST_TEST(std::abs(v.own.u(0)) < 1e-6);
  BOOST_TEST(v.at_most >= 0.);
}

BOOST_AUTO_TEST_CASE(inner_directions_are_inside_of_all_rows)
{
  for (unsigned int seed = 0; seed < 20; ++seed)
    {
      const ProblemFile                given = random_problem(seed, 12, 40, true);
      const Posed                      posed(given.problem, "name");
      const convex::ProjectionProblem &problem = posed.problem();
      BOOST_REQUIRE(!problem.expansion.empty());
      Vector Bw(problem.n_constraints());
      problem.B->apply(problem.expansion.w, Bw);
      BOOST_TEST((Bw.array() <= -.49 * convex::delassus_diagonal(problem).array().sqrt()).all());
    }
}

BOOST_AUTO_TEST_SUITE_END()
