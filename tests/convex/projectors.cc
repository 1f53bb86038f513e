// SPDX-License-Identifier: GPL-3.0-or-later
#include "convex/certificate.h"
#include "convex/solvers/make_projector.h"
#include "convex/input_error.h"
#include "convex/solvers/lawson_hanson.h"
#include "tests/oracles.h"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <optional>
#include <vector>

BOOST_AUTO_TEST_SUITE(projectors)

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

double max_abs(const Vector &v) { return v.lpNorm<Eigen::Infinity>(); }

/// Velocities of the walls of row_between_walls as its b.
Vector walls(const Index n, const double v_left, const double v_right)
{
  Vector b = Vector::Zero(n + 1);
  b(0)     = -v_left;
  b(n)     = v_right;
  return b;
}

/// A patch of the square lattice with one hole in each column and row, random U, in a box whose top comes down on it.
ProjectionProblem square_patch_in_a_box(const Index n, const unsigned int seed)
{
  const oracles::Network full = oracles::lattice_patch(n, n, false);
  oracles::Network       patch;
  std::vector<int>       number(full.size(), -1);
  patch.r.resize(2, 0);
  for (Index k = 0; k < full.size(); ++k)
    if (static_cast<Index>(full.r(1, k)) != (2 * static_cast<Index>(full.r(0, k)) + 1) % n) // n odd: a permutation
      {
        number[k] = static_cast<int>(patch.size());
        patch.r.conservativeResize(2, patch.size() + 1);
        patch.r.rightCols(1) = full.r.col(k);
      }
  for (const auto &[i, j] : full.pairs)
    if (number[i] >= 0 && number[j] >= 0)
      patch.pairs.push_back({number[i], number[j]});
  oracles::Random random(seed);
  const Vector    mass = oracles::masses(random, patch.size(), 1.);
  return oracles::boxed_problem(patch, mass, random.normals(2 * patch.size()), Eigen::Vector4d(0., 0., 0., .5));
}

/// Problems with rows that nothing repairs: the answer is Lawson-Hanson's, or was drawn.
std::vector<oracles::Oracle> unrepairable(const unsigned int seed)
{
  std::vector<oracles::Oracle> all = oracles::affine_oracles(seed);
  oracles::Random              random(seed);
  for (const bool triangular : {false, true})
    {
      const oracles::Network patch = oracles::lattice_patch(5, 4, triangular);
      const Vector           mass  = oracles::masses(random, patch.size(), 1.);
      all.push_back(oracles::affine_oracle(
          triangular ? "triangular patch in a box" : "square patch in a box",
          oracles::boxed_problem(patch, mass, Vector::Zero(2 * patch.size()), Vector::Zero(4)), random));
    }
  const auto add = [&](const std::string &name, ProjectionProblem problem) {
    const SaddlePoint x = LawsonHanson().project(problem);
    BOOST_TEST_REQUIRE(x.converged());
    all.push_back({name, std::move(problem), x.u, x.p, false});
  };
  add("row between walls that move apart", oracles::row_between_walls(random.normals(6), walls(6, .5, .75)));
  add("row between walls that move together", oracles::row_between_walls(random.normals(6), walls(6, .75, .75)));
  add("square patch under a press", square_patch_in_a_box(5, seed));
  const oracles::Network loose = oracles::disturbed(oracles::lattice_patch(5, 5, true), .1, .3, seed);
  add("disturbed patch in a box",
      oracles::boxed_problem(loose, Vector::Ones(loose.size()), random.normals(2 * loose.size()), Vector::Zero(4)));
  for (const auto &oracle : random_velocities(seed))
    {
      ProjectionProblem without = oracle.problem, partly = oracle.problem;
      without.expansion = Expansion();
      add(oracle.name + " without expansion", without);
      partly.expansion.w.head(partly.n_unknowns() / 2).setZero();
      add(oracle.name + " with half an expansion", partly);
    }
  return all;
}

/// The rows of B and q: -qᵀB v <= -<q,b> - 1, which contradicts Bv <= b.
ProjectionProblem contradicted(const oracles::Oracle &oracle, const Vector &q)
{
  ProjectionProblem     problem = oracle.problem;
  const Eigen::MatrixXd B       = static_cast<const SparseConstraint &>(*problem.B).matrix();
  Eigen::MatrixXd       more(B.rows() + 1, B.cols());
  more << B, -q.transpose() * B;
  problem.B = std::make_shared<SparseConstraint>(more.sparseView());
  problem.b.conservativeResize(B.rows() + 1);
  problem.b(B.rows()) = -q.dot(oracle.problem.b) - 1.;
  return problem;
}

/// Problems without a solution.
std::vector<std::pair<std::string, ProjectionProblem>> empty_problems(const unsigned int seed)
{
  std::vector<std::pair<std::string, ProjectionProblem>> all;
  oracles::Random                                        random(seed);
  all.emplace_back("row at rest, squeezed", oracles::row_between_walls(Vector::Zero(5), walls(5, 1., -1.)));
  all.emplace_back("row in motion, squeezed a little", oracles::row_between_walls(random.normals(8), walls(8, .01, 0.)));
  all.emplace_back("row in a fast frame",
                   oracles::row_between_walls(Vector(random.normals(4).array() + 100.), walls(4, 101., 100.)));
  for (const bool triangular : {false, true})
    {
      const oracles::Network patch = oracles::lattice_patch(5, 4, triangular);
      all.emplace_back(triangular ? "triangular patch, squeezed" : "square patch, squeezed",
                       oracles::boxed_problem(patch, oracles::masses(random, patch.size(), 2.),
                                              random.normals(2 * patch.size()), Eigen::Vector4d(.2, -.1, 0., .3)));
    }
  for (const auto &oracle : oracles::affine_oracles(seed))
    if (oracle.name == "wide" || oracle.name == "rank deficient")
      all.emplace_back(oracle.name + ", contradicted",
                       contradicted(oracle, random.normals(oracle.problem.n_constraints()).cwiseMax(0.)));
  return all;
}
} // namespace

BOOST_AUTO_TEST_CASE(automatic_is_the_first_name_and_unknown_names_are_refused)
{
  BOOST_TEST(projector_names().front() == "automatic");
  BOOST_CHECK_EXCEPTION(make_projector("simplex", StoppingCriterion()), InputError, [](const InputError &error) {
    return error.sentence.find("simplex") != std::string::npos && error.sentence.find("interior point") != std::string::npos;
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
          BOOST_TEST(x->converged() == criterion.met_by(x->certificate));
          if (solver == "projected gradient" && !x->converged())
            { // ill-conditioned rows may stall first-order steps: but near the answer
              BOOST_TEST(x->certificate.natural_residual < 1e-4);
              continue;
            }
          BOOST_TEST_REQUIRE(x->converged());
          const double size = criterion.demanded(x->certificate) * x->certificate.scale;
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
            BOOST_TEST(x->converged() == criterion.met_by(x->certificate));
          }
}

// Where nothing repairs a violated row the bound is an estimate: it counts together with the residuals, or not at all.
BOOST_AUTO_TEST_CASE(convergence_is_honest_where_nothing_repairs_a_row)
{
  for (const std::string &solver : projector_names())
    for (const auto &oracle : unrepairable(4))
      for (const double tolerance : {1e-2, 1e-6})
        for (const unsigned int cap : {0u, 1u, 3u, 10u, 100000u})
          BOOST_TEST_CONTEXT(solver << ", " << oracle.name << ", tolerance " << tolerance << ", cap " << cap)
          {
            StoppingCriterion criterion;
            criterion.tolerance      = tolerance;
            criterion.max_iterations = cap;
            const auto x             = answer(solver, oracle.problem, criterion);
            if (!x)
              continue;
            const Certificate &certificate = x->certificate;
            const double       error       = oracle.problem.V->norm(x->u - oracle.u) / certificate.scale;
            BOOST_TEST((x->status != Status::infeasible)); // there is an answer
            BOOST_TEST(x->converged() == criterion.met_by(certificate));
            if (certificate.guaranteed)
              BOOST_TEST(error <= certificate.relative_error_bound * (1. + 1e-9)); // both are computed with rounding
            else if (x->converged())
              {
                BOOST_TEST(certificate.natural_residual <= tolerance);
                BOOST_TEST(certificate.primal_infeasibility <= tolerance);
                BOOST_TEST(error <= 100. * tolerance); // the condition of small problems
              }
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

BOOST_AUTO_TEST_CASE(every_projector_agrees_between_walls)
{
  for (const auto &oracle : unrepairable(6))
    for (const std::string &solver : projector_names())
      BOOST_TEST_CONTEXT(solver << ", " << oracle.name)
  if (const auto x = answer(solver, oracle.problem); x && x->converged())
    BOOST_TEST(oracle.problem.V->norm(x->u - oracle.u) <= 1e-5 * x->certificate.scale); // ten times the tolerance: estimates
}

// Force chains of a crystal in space: isotonic regressions, a factorisation and an active set find the same ones.
BOOST_AUTO_TEST_CASE(lines_factorisation_and_active_set_agree_on_a_crystal_ball)
{
  const oracles::Network ball = oracles::face_centred_ball(2.);
  oracles::Random        random(3);
  const Vector           mass    = oracles::masses(random, ball.size(), 1.);
  const auto             problem = oracles::network_problem(ball, mass, random.normals(3 * ball.size()));
  const SaddlePoint      exact   = LawsonHanson().project(problem);
  BOOST_TEST(problem.n_constraints() > 200);
  BOOST_TEST((exact.p.array() > 1e-3).count() > 50); // a network of forces, not a few collisions
  BOOST_TEST((exact.p.array() == 0.).count() > 50);
  for (const char *const solver : {"lines", "interior point", "projected gradient", "automatic"})
    BOOST_TEST_CONTEXT(solver)
    {
      const auto x = answer(solver, problem);
      BOOST_TEST_REQUIRE(x.has_value());
      BOOST_TEST(x->converged());
      BOOST_TEST(x->certificate.guaranteed);
      BOOST_TEST(problem.V->norm(x->u - exact.u) <= x->certificate.relative_error_bound * x->certificate.scale);
    }
}

// The press sets whole columns in motion down to their hole; lines are exact here, and so is the active set.
BOOST_AUTO_TEST_CASE(a_press_on_a_square_lattice_agrees_with_lawson_hanson)
{
  const ProjectionProblem problem = square_patch_in_a_box(9, 2);
  const SaddlePoint       exact   = LawsonHanson().project(problem);
  BOOST_TEST_REQUIRE(exact.converged());
  const double size = max_abs(problem.U);
  BOOST_TEST(max_abs(answer("lines", problem)->u - exact.u) < 1e-12 * size); // two exact methods: rounding
  BOOST_TEST(max_abs(answer("automatic", problem)->u - exact.u) < 1e-12 * size);
  for (const char *const solver : {"interior point", "projected gradient"})
    BOOST_TEST_CONTEXT(solver)
    {
      const auto x = answer(solver, problem);
      BOOST_TEST(x->converged());
      BOOST_TEST(problem.V->norm(x->u - exact.u) <= 1e-5 * x->certificate.scale); // ten times the tolerance: estimates
    }
}

BOOST_AUTO_TEST_CASE(every_projector_proves_emptiness)
{
  for (const auto &[name, problem] : empty_problems(1))
    for (const std::string &solver : projector_names())
      BOOST_TEST_CONTEXT(solver << ", " << name)
  if (const auto x = answer(solver, problem))
    {
      BOOST_TEST((x->status == Status::infeasible));
      BOOST_TEST(proves_infeasible(problem, x->p));
      BOOST_TEST(x->p.minCoeff() >= 0.);
      Vector Btp(problem.n_unknowns());
      problem.B->apply_transpose(x->p, Btp);
      BOOST_TEST(max_abs(Btp) < 1e-6 * x->p.maxCoeff());
      BOOST_TEST(problem.b.dot(x->p) < 0.);
    }
}

// Which chain it is: the whole row, but neither the rows above nor what touches the other walls.
BOOST_AUTO_TEST_CASE(the_proof_of_emptiness_is_the_blocking_chain)
{
  const ProjectionProblem row = oracles::row_between_walls(Vector::Zero(5), walls(5, 1., -1.));
  for (const std::string &solver : projector_names())
    BOOST_TEST_CONTEXT(solver)
  if (const auto x = answer(solver, row))
    BOOST_TEST(x->p.minCoeff() > .99 * x->p.maxCoeff()); // one force all along

  const oracles::Network patch = oracles::lattice_patch(4, 3, false);
  const auto  box = oracles::boxed_problem(patch, Vector::Ones(12), Vector::Zero(24), Eigen::Vector4d(0., 0., 0., 1.));
  const auto &e   = static_cast<const PairConstraint &>(*box.B).directions();
  for (const std::string &solver : projector_names())
    BOOST_TEST_CONTEXT(solver)
  if (const auto x = answer(solver, box))
    {
      BOOST_TEST_REQUIRE((x->status == Status::infeasible));
      for (Index c = 0; c < box.n_constraints(); ++c)
        if (std::abs(e(0, c)) > .5)
          BOOST_TEST(x->p(c) < 1e-6 * x->p.maxCoeff()); // forces are vertical
    }
}

// Walls that leave exactly one velocity, up to the rounding of their own velocities: that is no contradiction.
BOOST_AUTO_TEST_CASE(rounding_is_not_emptiness)
{
  Vector b(4);
  b << .1, .7, -.8, 0.;
  std::vector<ProjectionProblem> tight = {oracles::row_between_walls(Vector::Zero(3), b)};
  BOOST_TEST(b.sum() < 0.); // in floating point
  std::sort(b.data(), b.data() + 4);
  oracles::Random random(5);
  do
    tight.push_back(oracles::row_between_walls(random.normals(3), b));
  while (std::next_permutation(b.data(), b.data() + 4));
  for (int trial = 0; trial < 20; ++trial)
    {
      const Index  n = 2 + random.below(20), last = random.below(n + 1);
      const double speed = trial % 2 == 0 ? 0. : 10.; // of the frame
      Vector       sums  = random.normals(n + 1);
      sums(last)         = 0.;
      sums(last)         = -sums.sum();
      sums(0) -= speed;
      sums(n) += speed;
      tight.push_back(oracles::row_between_walls(Vector(random.normals(n).array() + speed), sums));
    }
  for (const ProjectionProblem &problem : tight)
    for (const std::string &solver : projector_names())
      BOOST_TEST_CONTEXT(solver << ", b = " << problem.b.transpose())
  if (const auto x = answer(solver, problem))
    {
      BOOST_TEST((x->status != Status::infeasible));
      BOOST_TEST(x->certificate.primal_infeasibility < 1e-6); // the one velocity has been found
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

// What lines of progress are made of: errors that end where the method says that they are small enough.
BOOST_AUTO_TEST_CASE(iterations_report_their_errors)
{
  const oracles::Network  patch = oracles::lattice_patch(12, 12, true);
  oracles::Random         random(9);
  const ProjectionProblem problem =
      oracles::network_problem(patch, Vector::Ones(patch.size()), random.normals(2 * patch.size()));
  for (const std::string solver : {"interior point", "projected gradient", "automatic"})
    BOOST_TEST_CONTEXT(solver)
    {
      std::vector<double> reported;
      StoppingCriterion   criterion;
      criterion.watch.tell = [&](const double error, const double enough) {
        BOOST_TEST((error >= 0. && enough > 0.));
        reported.push_back(error / enough);
      };
      BOOST_TEST(make_projector(solver, criterion)->project(problem).converged());
      BOOST_TEST_REQUIRE(reported.size() > 1);
      BOOST_TEST(reported.back() < reported.front());
      BOOST_TEST(*std::min_element(reported.begin(), reported.end()) <= 1.);
    }
}

BOOST_AUTO_TEST_SUITE_END()
