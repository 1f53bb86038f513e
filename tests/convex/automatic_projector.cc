// SPDX-License-Identifier: GPL-3.0-or-later
// Which method is chosen, and that the answer does not depend on it.
#include "convex/solvers/automatic_projector.h"

#include "convex/certificate.h"
#include "convex/solvers/interior_point.h"
#include "tests/oracles.h"

#include <boost/test/unit_test.hpp>
#include <tbb/global_control.h>

BOOST_AUTO_TEST_SUITE(automatic_projector)

using namespace moreau;
using namespace moreau::convex;

namespace
{
using Parameters = AutomaticProjector::Parameters;

/// Never Lawson-Hanson: small networks take the route of large ones.
Parameters for_networks()
{
  Parameters parameters;
  parameters.few_constraints = 0;
  return parameters;
}

/// First-order methods are all that can be afforded.
Parameters without_factorisation()
{
  Parameters parameters               = for_networks();
  parameters.largest_factorised_plane = parameters.largest_factorised_space = 0;
  return parameters;
}

SaddlePoint project(const ProjectionProblem &problem, const Parameters &parameters, const double tolerance = 1e-6,
                    const Vector *const p_start = nullptr)
{
  StoppingCriterion criterion;
  criterion.tolerance = tolerance;
  return AutomaticProjector(criterion, parameters).project(problem, p_start);
}

/// Random velocities and masses over a decade.
ProjectionProblem random_problem(const oracles::Network &network, const unsigned int seed)
{
  oracles::Random random(seed);
  const Vector    mass = oracles::masses(random, network.size(), 1.);
  return oracles::network_problem(network, mass, random.normals(network.dim() * network.size()));
}

/// Discs with two thirds of the contacts of a lattice: fewer contacts than degrees of freedom.
ProjectionProblem loose_problem(const Index n)
{
  return random_problem(oracles::disturbed(oracles::lattice_patch(n, n, true), .15, .35, 1), 1);
}

/// Three contacts per disc in directions that all differ, pressed together.
ProjectionProblem hyperstatic_problem(const Index n, const double shift = .15)
{
  ProjectionProblem problem = random_problem(oracles::disturbed(oracles::lattice_patch(n, n, true), shift, 0., 1), 1);
  problem.U -= problem.expansion.w;
  return problem;
}

bool contains(const std::string &text, const std::string &word) { return text.find(word) != std::string::npos; }

/// x is the answer, by its own certificate and by an interior point.
void check_answer(const ProjectionProblem &problem, const SaddlePoint &x)
{
  StoppingCriterion finer;
  finer.tolerance         = 1e-8; // or its round-off floor: well below the 1e-6 of the answers
  const SaddlePoint exact = InteriorPoint(finer).project(problem);
  BOOST_TEST_REQUIRE(exact.converged());
  BOOST_TEST(x.converged());
  BOOST_TEST(x.certificate.guaranteed);
  BOOST_TEST(x.certificate.relative_error_bound == certify(problem, x.u, x.p).relative_error_bound);
  BOOST_TEST(problem.V->norm(x.u - exact.u) <=
             (x.certificate.relative_error_bound + exact.certificate.relative_error_bound) * x.certificate.scale);
}
} // namespace

BOOST_AUTO_TEST_CASE(structure_and_size_choose_the_method)
{
  const auto method = [](const ProjectionProblem &problem) {
    const SaddlePoint x = project(problem, Parameters());
    BOOST_TEST(x.converged());
    return x.method;
  };
  BOOST_TEST(contains(method(random_problem(oracles::lattice_patch(30, 30, false), 1)), "lines (exact)"));
  BOOST_TEST(contains(method(random_problem(oracles::lattice_patch(30, 30, true), 1)), "lines"));
  BOOST_TEST(contains(method(loose_problem(6)), "Lawson-Hanson")); // 120 rows and less
  BOOST_TEST(contains(method(loose_problem(20)), "projected gradient"));
}

BOOST_AUTO_TEST_CASE(loose_networks_are_left_to_projected_gradients)
{
  const ProjectionProblem problem = loose_problem(30);
  const SaddlePoint       x       = project(problem, for_networks());
  check_answer(problem, x);
  BOOST_TEST(contains(x.method, "projected gradient"));

  StoppingCriterion criterion;
  criterion.on_natural_residual = true; // no certificate to finish
  const SaddlePoint step        = AutomaticProjector(criterion, for_networks()).project(problem);
  BOOST_TEST(step.converged());
  BOOST_TEST(step.certificate.natural_residual <= criterion.tolerance);
  BOOST_TEST(contains(step.method, "projected gradient"));
  BOOST_TEST(!contains(step.method, "interior point"));

  const SaddlePoint alone = project(problem, without_factorisation());
  check_answer(problem, alone);
  BOOST_TEST(!contains(alone.method, "interior point"));
}

BOOST_AUTO_TEST_CASE(hyperstatic_networks_are_factorised)
{
  for (const double shift : {.02, .15})
    {
      const ProjectionProblem problem = hyperstatic_problem(20, shift);
      const SaddlePoint       x       = project(problem, for_networks());
      check_answer(problem, x);
      BOOST_TEST(contains(x.method, "interior point"));
      BOOST_TEST(x.n_iterations < 1000u); // first-order steps alone need ten times as many
    }
}

BOOST_AUTO_TEST_CASE(networks_in_space_are_factorised_too)
{
  ProjectionProblem problem = random_problem(oracles::disturbed(oracles::face_centred_ball(3.), .02, 0., 1), 1);
  problem.U -= problem.expansion.w;
  const SaddlePoint x = project(problem, for_networks());
  check_answer(problem, x);
  BOOST_TEST(contains(x.method, "interior point"));
  check_answer(problem, project(problem, without_factorisation()));
  BOOST_TEST(!contains(project(problem, without_factorisation()).method, "interior point"));
}

// Each dimension has its own limit.
BOOST_AUTO_TEST_CASE(the_largest_factorisation_is_respected)
{
  const ProjectionProblem plane       = hyperstatic_problem(20);
  Parameters              parameters  = for_networks();
  parameters.largest_factorised_space = 0;
  BOOST_TEST(contains(project(plane, parameters).method, "interior point"));
  parameters.largest_factorised_plane = 399; // nodes: one too few
  BOOST_TEST(!contains(project(plane, parameters).method, "interior point"));
  parameters.largest_factorised_plane = 400;
  BOOST_TEST(contains(project(plane, parameters).method, "interior point"));
}

// A few contacts hold up first-order steps: they are solved with their surroundings, exactly.
BOOST_AUTO_TEST_CASE(stalls_are_polished)
{
  ProjectionProblem problem = random_problem(oracles::disturbed(oracles::lattice_patch(10, 10, true), .02, .1, 1), 1);
  problem.U -= problem.expansion.w;
  const SaddlePoint x = project(problem, without_factorisation());
  BOOST_TEST(contains(x.method, "local polish"));
  check_answer(problem, x);
}

BOOST_AUTO_TEST_CASE(operators_without_entries_are_left_to_projected_gradients)
{
  ProjectionProblem problem = loose_problem(20);
  const SaddlePoint known   = project(problem, for_networks());
  problem.B                 = std::make_shared<oracles::OpaqueConstraint>(problem.B);
  const SaddlePoint x       = project(problem, for_networks());
  BOOST_TEST(x.converged());
  BOOST_TEST(contains(x.method, "projected gradient"));
  BOOST_TEST(!contains(x.method, "interior point"));
  BOOST_TEST(problem.V->norm(x.u - known.u) <= 2e-6 * x.certificate.scale); // twice the tolerance
}

BOOST_AUTO_TEST_CASE(a_good_guess_saves_work)
{
  for (const ProjectionProblem &problem : {loose_problem(30), hyperstatic_problem(20)})
    for (const Parameters &parameters : {for_networks(), without_factorisation()})
      {
        const SaddlePoint cold = project(problem, parameters);
        ProjectionProblem next = problem; // a step later
        next.U += 1e-4 * oracles::Random(3).normals(problem.n_unknowns());
        const SaddlePoint warm = project(next, parameters, 1e-6, &cold.p);
        BOOST_TEST(warm.converged());
        BOOST_TEST(warm.n_iterations < cold.n_iterations);
        BOOST_TEST(next.V->norm(warm.u - cold.u) < 1e-2 * warm.certificate.scale);
      }
}

BOOST_AUTO_TEST_CASE(digits_do_not_depend_on_the_number_of_threads)
{
  ProjectionProblem stalling = random_problem(oracles::disturbed(oracles::lattice_patch(10, 10, true), .02, .1, 1), 1);
  stalling.U -= stalling.expansion.w;
  for (const ProjectionProblem &problem :
       {loose_problem(60), hyperstatic_problem(20), stalling, random_problem(oracles::lattice_patch(40, 40, true), 1)})
    for (const Parameters &parameters : {for_networks(), without_factorisation()})
      {
        SaddlePoint one;
        for (const std::size_t n_threads : {1, 2, 5})
          {
            const tbb::global_control threads(tbb::global_control::max_allowed_parallelism, n_threads);
            const SaddlePoint         x = project(problem, parameters, 1e-4);
            if (n_threads == 1)
              one = x;
            BOOST_TEST((x.u.array() == one.u.array()).all());
            BOOST_TEST((x.p.array() == one.p.array()).all());
            BOOST_TEST(x.method == one.method);
          }
      }
}

// A gas: hundreds of thousands of spheres, a hundred contacts.
BOOST_AUTO_TEST_CASE(a_dilute_gas_changes_only_where_it_touches)
{
  oracles::Random random(4);
  for (const Index dim : {2, 3})
    {
      const Index                       n = 200000, m = 100;
      std::vector<PairConstraint::Pair> pairs;
      Eigen::MatrixXd                   e(dim, m);
      for (Index c = 0; c < m; ++c)
        {
          // pairs and triples, far apart in the numbering
          pairs.push_back(
              {static_cast<int>(1000 * c), static_cast<int>(c % 3 == 0 && c > 0 ? 1000 * (c - 1) : 1000 * c + 7)});
          e.col(c) = random.normals(dim).normalized();
        }
      ProjectionProblem problem;
      problem.V               = std::make_shared<DiagonalSpace>(Vector::Ones(n), dim);
      problem.B               = std::make_shared<PairConstraint>(dim, n, pairs, e);
      problem.U               = random.normals(dim * n);
      const SaddlePoint exact = project(problem, Parameters());
      BOOST_TEST(exact.converged());
      for (const Parameters &parameters : {for_networks(), without_factorisation()})
        {
          const SaddlePoint x = project(problem, parameters);
          BOOST_TEST(x.converged());
          BOOST_TEST((x.u - exact.u).norm() <= 1e-5 * exact.certificate.scale); // no expansion is given: estimates
          std::vector<bool> touches(n, false);
          for (const auto &[i, j] : pairs)
            touches[i] = touches[j] = true;
          Index n_moved = 0;
          for (Index k = 0; k < n; ++k)
            if (!touches[k] && (x.u.segment(dim * k, dim).array() != problem.U.segment(dim * k, dim).array()).any())
              ++n_moved;
          BOOST_TEST(n_moved == 0); // free flight
        }
    }
}

// A space that knows entries, not nodes: the same masses, another mean velocity.
BOOST_AUTO_TEST_CASE(a_space_of_another_dimension_than_the_pairs_is_served)
{
  for (const ProjectionProblem &problem : {loose_problem(12), random_problem(oracles::lattice_patch(12, 12, true), 1)})
    for (const Parameters &parameters : {Parameters(), for_networks(), without_factorisation()})
      {
        const SaddlePoint known = project(problem, parameters);
        ProjectionProblem other = problem;
        other.V                 = std::make_shared<DiagonalSpace>(static_cast<const DiagonalSpace &>(*problem.V).masses());
        const SaddlePoint x     = project(other, parameters);
        BOOST_TEST(x.converged());
        BOOST_TEST(problem.V->norm(x.u - known.u) <= 2.5e-6 * x.certificate.scale); // twice the tolerance; scales differ
      }
}

BOOST_AUTO_TEST_CASE(a_cap_is_reported)
{
  StoppingCriterion criterion;
  criterion.max_iterations = 1;
  for (const ProjectionProblem &problem :
       {loose_problem(20), hyperstatic_problem(20), random_problem(oracles::lattice_patch(12, 12, true), 1)})
    for (const Parameters &parameters : {for_networks(), without_factorisation()})
      {
        const SaddlePoint x = AutomaticProjector(criterion, parameters).project(problem);
        BOOST_TEST((x.status == Status::iteration_limit || x.status == Status::stagnated));
        BOOST_TEST(x.certificate.relative_error_bound > criterion.tolerance);
        BOOST_TEST(x.certificate.relative_error_bound == certify(problem, x.u, x.p).relative_error_bound);
      }
}

BOOST_AUTO_TEST_CASE(an_admissible_velocity_is_left_alone_bit_for_bit)
{
  for (ProjectionProblem problem : {loose_problem(6), loose_problem(20), hyperstatic_problem(20),
                                    random_problem(oracles::lattice_patch(12, 12, true), 1)})
    for (const Parameters &parameters : {Parameters(), for_networks(), without_factorisation()})
      for (const bool opaque : {false, true})
        {
          problem.U = .37 * problem.expansion.w;
          if (opaque)
            problem.B = std::make_shared<oracles::OpaqueConstraint>(problem.B);
          const SaddlePoint x = project(problem, parameters);
          BOOST_TEST_CONTEXT(x.method << ", " << problem.n_constraints() << " rows")
          BOOST_TEST(x.converged());
          BOOST_TEST(x.p.isZero(0.));
          BOOST_TEST_CONTEXT(x.method << ", " << problem.n_constraints() << " rows")
          BOOST_TEST((x.u.array() == problem.U.array()).all());
        }
}

// A press that closes on a packing with one straight column, or on a lattice full of force chains.
BOOST_AUTO_TEST_CASE(emptiness_is_proved_on_the_route_of_networks)
{
  const auto pressed = [](const oracles::Network &network) {
    const Index n = network.size();
    return oracles::boxed_problem(network, Vector::Ones(n), Vector::Zero(2 * n), Eigen::Vector4d(0., 0., 0., 1.));
  };
  const Index            n       = 8;
  const oracles::Network square  = oracles::lattice_patch(n, n, false);
  oracles::Network       packing = oracles::disturbed(square, .05, 0., 1);
  for (Index k = 0; k < square.size(); ++k)
    if (k % n == 2 || k / n == 0 || k / n == n - 1) // the rows at bottom and top, too, are straight
      packing.r.col(k) = square.r.col(k);
  const ProjectionProblem lattice = pressed(oracles::lattice_patch(n, n, true)), column = pressed(packing);
  const auto              check = [](const ProjectionProblem &problem, const Parameters &parameters) {
    const SaddlePoint x = project(problem, parameters);
    BOOST_TEST_CONTEXT(x.method << ", " << name(x.status))
    {
      BOOST_TEST((x.status == Status::infeasible));
      BOOST_TEST(proves_infeasible(problem, x.p));
    }
  };
  for (const Parameters &parameters : {Parameters(), for_networks()})
    {
      check(lattice, parameters);
      check(column, parameters);
    }
  check(column, without_factorisation());
  BOOST_TEST(!project(lattice, without_factorisation()).converged());
}

BOOST_AUTO_TEST_SUITE_END()
