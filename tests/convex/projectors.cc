// SPDX-License-Identifier: GPL-3.0-or-later
#include "convex/certificate.h"
#include "convex/cone_projection.h"
#include "convex/input_error.h"
#include "convex/lawson_hanson.h"
#include "tests/oracles.h"

#include <boost/test/unit_test.hpp>

#include <optional>

using namespace moreau::convex;
using namespace moreau;

namespace
{
/// The answer of a solver by name, or nothing where the problem lacks the structure that it needs.
std::optional<SaddlePoint> answer(const std::string &solver, const ProjectionProblem &problem,
                                  const StoppingCriterion &criterion = StoppingCriterion())
{
  try
    {
      return make_projector(solver, criterion)->project(problem);
    }
  catch (const std::invalid_argument &)
    {
      return std::nullopt;
    }
}

/// Solvers for any B; `lines` only knows sums of one-dimensional problems.
bool is_general(const std::string &solver) { return solver != "lines"; }

std::vector<oracles::Oracle> all_oracles(const unsigned int seed)
{
  std::vector<oracles::Oracle> all = oracles::affine_oracles(seed);
  for (const auto &more : {oracles::cone_oracles(seed), oracles::network_cones(seed)})
    all.insert(all.end(), more.begin(), more.end());
  return all;
}

/// Cones of networks with random velocities: the answer is Lawson-Hanson's.
std::vector<oracles::Oracle> random_velocities(const unsigned int seed)
{
  std::vector<oracles::Oracle> all = oracles::network_cones(seed);
  oracles::Random              random(seed);
  for (auto &oracle : all)
    {
      oracle.problem.U    = random.normals(oracle.problem.n_unknowns());
      const SaddlePoint x = LawsonHanson().project(oracle.problem);
      oracle.u            = x.u;
      oracle.p            = x.p;
    }
  return all;
}

double distance_of_impulses(const ProjectionProblem &problem, const Vector &p, const Vector &q)
{
  return problem.V->norm(problem.velocity_of(p) - problem.velocity_of(q));
}

/// Two walls that close in on a row of spheres, all at rest.
ProjectionProblem squeezed_row(const int n, const double speed)
{
  const int                         wall  = PairConstraint::fixed_body;
  std::vector<PairConstraint::Pair> pairs = {{0, wall}};
  Eigen::MatrixXd                   e     = Eigen::MatrixXd::Ones(1, n + 1);
  e(0, 0)                                 = -1.;
  for (int k = 0; k + 1 < n; ++k)
    pairs.push_back({k, k + 1});
  pairs.push_back({n - 1, wall});
  ProjectionProblem problem;
  problem.V    = std::make_shared<DiagonalSpace>(Vector::Ones(n));
  problem.B    = std::make_shared<PairConstraint>(1, n, pairs, e);
  problem.U    = Vector::Zero(n);
  problem.b    = Vector::Zero(n + 1);
  problem.b(0) = -speed;
  problem.b(n) = -speed;
  return problem;
}
} // namespace

BOOST_AUTO_TEST_SUITE(projectors)

BOOST_AUTO_TEST_CASE(automatic_is_the_first_name_and_unknown_names_are_refused)
{
  BOOST_TEST(projector_names().front() == "automatic");
  BOOST_CHECK_EXCEPTION(make_projector("simplex", StoppingCriterion()), InputError, [](const InputError &error) {
    return std::string(error.what()).find("simplex") != std::string::npos &&
           std::string(error.what()).find("interior point") != std::string::npos;
  });
}

BOOST_AUTO_TEST_CASE(every_projector_finds_the_known_answer)
{
  for (const std::string &solver : projector_names())
    for (const unsigned int seed : {1u, 2u})
      for (const auto &oracle : all_oracles(seed))
        BOOST_TEST_CONTEXT(solver << ", " << oracle.name << ", seed " << seed)
        {
          StoppingCriterion criterion;
          criterion.tolerance = 1e-7;
          const auto x        = answer(solver, oracle.problem, criterion);
          BOOST_TEST((x.has_value() || !is_general(solver)));
          if (!x)
            continue;
          const double scale = x->certificate.scale, size = std::max(1e-7, 2. * x->certificate.round_off_floor) * scale;
          if (x->certificate.guaranteed ||
              solver != "projected gradient") // ill-conditioned rows may stall first-order steps
            BOOST_TEST(x->converged());
          if (!x->converged())
            continue;
          // without guarantee (no way to repair) the bound is an estimate
          const double trust = x->certificate.guaranteed ? 1. : 100.;
          BOOST_TEST(oracle.problem.V->norm(x->u - oracle.u) <= trust * size);
          BOOST_TEST(distance_of_impulses(oracle.problem, x->p, oracle.p) <= 2. * trust * size);
          BOOST_TEST(x->p.minCoeff() >= 0.);
          if (oracle.p_is_unique && !oracle.problem.is_cone())
            BOOST_TEST((x->p - oracle.p).lpNorm<Eigen::Infinity>() <= 1e-3 * oracle.p.lpNorm<Eigen::Infinity>() + 1e-12);
        }
}

// Stopped anywhere, the true error is below the bound.
BOOST_AUTO_TEST_CASE(certificates_are_honest_however_early_a_solver_stops)
{
  for (const std::string &solver : projector_names())
    for (const auto &oracle : random_velocities(3))
      for (const double tolerance : {1., 1e-1, 1e-2, 1e-4})
        for (const unsigned int cap : {3u, 100000u})
          BOOST_TEST_CONTEXT(solver << ", " << oracle.name << ", tolerance " << tolerance << ", cap " << cap)
          {
            StoppingCriterion criterion;
            criterion.tolerance      = tolerance;
            criterion.max_iterations = cap;
            const auto x             = answer(solver, oracle.problem, criterion);
            if (!x)
              continue;
            const double error = oracle.problem.V->norm(x->u - oracle.u) / x->certificate.scale;
            BOOST_TEST(x->certificate.guaranteed);                                  // the expansion repairs everything
            BOOST_TEST(error <= x->certificate.relative_error_bound * (1. + 1e-9)); // both are computed with rounding
            BOOST_TEST(x->converged() ==
                       (x->certificate.relative_error_bound <= std::max(tolerance, 2. * x->certificate.round_off_floor)));
          }
}

// What a solver reports is what the common judge says about its u and p.
BOOST_AUTO_TEST_CASE(every_certificate_is_that_of_the_judge)
{
  for (const std::string &solver : projector_names())
    for (const auto &oracle : random_velocities(5))
      if (const auto x = answer(solver, oracle.problem))
        BOOST_TEST(x->certificate.relative_error_bound == certify(oracle.problem, x->u, x->p).relative_error_bound,
                   boost::test_tools::tolerance(1e-12));
}

BOOST_AUTO_TEST_CASE(every_projector_agrees_on_moving_walls)
{
  ProjectionProblem problem = squeezed_row(6, 0.);
  problem.U                 = oracles::Random(9).normals(6);
  problem.b(0)              = -.5; // the left wall pushes
  problem.b(6)              = .75; // the right one retreats faster
  const SaddlePoint exact   = LawsonHanson().project(problem);
  for (const std::string &solver : projector_names())
    BOOST_TEST_CONTEXT(solver)
    {
      const auto x = answer(solver, problem);
      BOOST_TEST_REQUIRE(x.has_value());
      BOOST_TEST((x->u - exact.u).lpNorm<Eigen::Infinity>() < 1e-5); // ten times the tolerance: estimates between walls
    }
}

BOOST_AUTO_TEST_CASE(solvers_that_detect_emptiness_prove_it)
{
  const ProjectionProblem problem = squeezed_row(5, 1.);
  for (const std::string &solver : projector_names())
    BOOST_TEST_CONTEXT(solver)
    {
      const auto x = answer(solver, problem);
      if (!x)
        continue;
      BOOST_TEST(!x->converged());
      if (solver == "projected gradient") // p grows without limit: no proof, but no convergence either
        continue;
      BOOST_TEST_REQUIRE((x->status == Status::infeasible));
      Vector Btp(5);
      problem.B->apply_transpose(x->p, Btp);
      BOOST_TEST(x->p.minCoeff() > 0.); // the whole chain blocks
      BOOST_TEST(Btp.lpNorm<Eigen::Infinity>() < 1e-6 * x->p.maxCoeff());
      BOOST_TEST(problem.b.dot(x->p) < 0.);
    }
}

BOOST_AUTO_TEST_CASE(a_velocity_that_is_not_a_number_never_converges)
{
  auto oracle         = oracles::network_cones(1)[0];
  oracle.problem.U(3) = std::nan("");
  StoppingCriterion criterion;
  criterion.max_iterations = 50;
  for (const std::string &solver : projector_names())
    BOOST_TEST_CONTEXT(solver)
  if (const auto x = answer(solver, oracle.problem, criterion))
    BOOST_TEST(!x->converged());
}

BOOST_AUTO_TEST_CASE(no_constraints_and_admissible_velocities_are_left_alone)
{
  ProjectionProblem free;
  free.V       = std::make_shared<DiagonalSpace>(Vector::Ones(3), 2);
  free.B       = std::make_shared<PairConstraint>(2, 3, std::vector<PairConstraint::Pair>(), Eigen::MatrixXd(2, 0));
  free.U       = Vector::LinSpaced(6, -1., 1.);
  auto opening = oracles::network_cones(1)[0].problem;
  opening.U    = opening.expansion.w;
  for (const std::string &solver : projector_names())
    for (const ProjectionProblem &problem : {free, opening})
      BOOST_TEST_CONTEXT(solver)
  if (const auto x = answer(solver, problem))
    {
      BOOST_TEST(x->converged());
      BOOST_TEST((x->u - problem.U).lpNorm<Eigen::Infinity>() < 1e-6); // the default tolerance
    }
}

// A guess may speed up, it may not change the answer.
BOOST_AUTO_TEST_CASE(a_guess_does_not_change_the_answer)
{
  oracles::Random random(7);
  for (const std::string &solver : projector_names())
    for (const auto &oracle : random_velocities(8))
      BOOST_TEST_CONTEXT(solver << ", " << oracle.name)
  try
    {
      for (const Vector &guess : {Vector(oracle.p), Vector(random.normals(oracle.p.size()).cwiseAbs())})
        {
          const SaddlePoint x = make_projector(solver, StoppingCriterion())->project(oracle.problem, &guess);
          BOOST_TEST(x.converged());
          BOOST_TEST(oracle.problem.V->norm(x.u - oracle.u) <= x.certificate.relative_error_bound * x.certificate.scale);
        }
    }
  catch (const std::invalid_argument &)
    {} // not a problem for this solver
}

BOOST_AUTO_TEST_SUITE_END()
