// SPDX-License-Identifier: GPL-3.0-or-later
#include "convex/chains/chain_families.h"
#include "convex/solvers/chain_projector.h"

#include "convex/chains/isotonic_regression.h"
#include "convex/solvers/lawson_hanson.h"
#include "tests/oracles.h"

#include <boost/test/unit_test.hpp>
#include <tbb/global_control.h>

#include <numeric>

BOOST_AUTO_TEST_SUITE(chain_families)

using namespace moreau::convex;
using namespace moreau::oracles;

namespace
{
using Pairs = std::vector<PairConstraint::Pair>;

constexpr int body = PairConstraint::fixed_body;

const PairConstraint &pairs_of(const ProjectionProblem &problem) { return dynamic_cast<const PairConstraint &>(*problem.B); }

/// Nodes renumbered and rows shuffled, every second row turned around, the whole turned by an angle.
Network disguised(const Network &network, const double angle, const unsigned int seed)
{
  Random           random(seed);
  std::vector<int> number(network.size());
  std::iota(number.begin(), number.end(), 0);
  for (Index k = network.size() - 1; k > 0; --k)
    std::swap(number[k], number[random.below(k + 1)]);
  Network               result = network;
  const Eigen::Matrix2d turn{{std::cos(angle), -std::sin(angle)}, {std::sin(angle), std::cos(angle)}};
  for (Index k = 0; k < network.size(); ++k)
    result.r.col(number[k]) = turn * network.r.col(k);
  for (std::size_t c = 0; c < result.pairs.size(); ++c)
    {
      result.pairs[c] = {number[network.pairs[c].i], number[network.pairs[c].j]};
      if (c % 2 == 1)
        std::swap(result.pairs[c].i, result.pairs[c].j);
    }
  for (std::size_t c = result.pairs.size() - 1; c > 0; --c)
    std::swap(result.pairs[c], result.pairs[random.below(c + 1)]);
  return result;
}

/// Every row of B joins the nodes that its place says, in the direction of its family, and occurs once.
void check_families(const PairConstraint &B, const ChainFamilies &chains)
{
  std::vector<int> seen(B.n_constraints(), 0);
  for (const ChainFamilies::Family &family : chains.families)
    for (Index r = 0; r < family.n_runs(); ++r)
      for (int l = family.run_start[r]; l < family.run_start[r + 1]; ++l)
        {
          const int row = family.row[l];
          BOOST_TEST((row == ChainFamilies::none) == (l + 1 == family.run_start[r + 1]));
          if (row == ChainFamilies::none)
            continue;
          ++seen[row];
          const auto [i, j]  = B.pairs()[row];
          const bool forward = i == family.node[l];
          BOOST_TEST((forward ? j : i) == family.node[l + 1]);
          BOOST_TEST((B.directions().col(row) - (forward ? 1. : -1.) * family.direction).norm() <= 1e-12);
        }
  BOOST_TEST(std::all_of(seen.begin(), seen.end(), [](const int n) { return n == 1; }));
}

/// A row of nodes 0 ... n-1 along x between fixed bodies (row n-1 behind the last, row n before the first), in dimension 1.
ProjectionProblem row_between_bodies(const Vector &masses, const Vector &U, const Vector &b)
{
  const int       n = static_cast<int>(U.size());
  Pairs           pairs;
  Eigen::MatrixXd e(1, n + 1);
  e.setOnes();
  for (int k = 0; k + 1 < n; ++k)
    pairs.push_back({k, k + 1});
  pairs.push_back({n - 1, body});
  pairs.push_back({0, body});
  e(0, n) = -1.;
  ProjectionProblem problem;
  problem.V = std::make_shared<DiagonalSpace>(masses);
  problem.B = std::make_shared<PairConstraint>(1, n, pairs, e);
  problem.U = U;
  problem.b = b;
  return problem;
}

StoppingCriterion to_tolerance(const double tolerance)
{
  StoppingCriterion criterion;
  criterion.tolerance = tolerance;
  return criterion;
}
} // namespace

BOOST_AUTO_TEST_CASE(lattices_are_recognised_in_any_order_and_orientation)
{
  for (const bool triangular : {false, true})
    for (const double vacancies : {0., .2})
      for (const double angle : {0., .4, 2.})
        {
          const Network network = disguised(lattice_patch(9, 7, triangular, vacancies), angle, 3);
          const auto    problem = network_problem(network, Vector::Ones(network.size()), Vector::Zero(2 * network.size()));
          const auto    chains  = find_chain_families(pairs_of(problem));
          BOOST_TEST_REQUIRE(chains.has_value());
          BOOST_TEST(chains->families.size() == (triangular ? 3 : 2));
          BOOST_TEST(uncoupled(*chains) == !triangular);
          check_families(pairs_of(problem), *chains);
        }
}

BOOST_AUTO_TEST_CASE(longest_run_counts_nodes)
{
  const Network network = lattice_patch(9, 4, false);
  const auto    problem = network_problem(network, Vector::Ones(36), Vector::Zero(72));
  BOOST_TEST(find_chain_families(pairs_of(problem))->longest_run() == 9);
}

BOOST_AUTO_TEST_CASE(networks_without_lines_are_not_taken_for_lattices)
{
  const Network network = random_network(2, 20, 30, 1);
  const auto    problem = network_problem(network, Vector::Ones(20), Vector::Ones(40));
  BOOST_TEST(!find_chain_families(pairs_of(problem)).has_value());
  BOOST_CHECK_THROW(ChainProjector(StoppingCriterion()).project(problem), std::invalid_argument);
}

BOOST_AUTO_TEST_CASE(branches_and_bodies_inside_a_line_are_rejected)
{
  const auto found = [](const Pairs &pairs) {
    return find_chain_families(PairConstraint(1, 3, pairs, Eigen::MatrixXd::Ones(1, pairs.size()))).has_value();
  };
  BOOST_TEST(found({{0, 1}, {1, 2}}));
  BOOST_TEST(found({{0, 1}, {2, body}}));
  BOOST_TEST(!found({{0, 1}, {0, 2}}));
  BOOST_TEST(!found({{0, 2}, {1, 2}}));
  BOOST_TEST(found({{0, 1}, {1, 2}, {2, 0}}));
  BOOST_TEST(!found({{0, 1}, {0, body}}));
  BOOST_TEST(!found({{0, body}, {0, body}}));
}

BOOST_AUTO_TEST_CASE(row_of_spheres_is_weighted_isotonic_regression)
{
  Random       random(1);
  const Vector m = masses(random, 30, 2.), U = random.normals(30);
  Pairs        pairs;
  for (int k = 0; k < 29; ++k)
    pairs.push_back({k, k + 1});
  ProjectionProblem problem;
  problem.V           = std::make_shared<DiagonalSpace>(m);
  problem.B           = std::make_shared<PairConstraint>(1, 30, pairs, Eigen::MatrixXd::Ones(1, 29));
  problem.U           = U;
  const SaddlePoint x = ChainProjector(StoppingCriterion()).project(problem);
  BOOST_TEST(x.converged());
  BOOST_TEST((x.u - moreau::convex::isotonic_regression(U, m)).lpNorm<Eigen::Infinity>() == 0.);
  BOOST_TEST(saddle_point_defect(problem, x) <= 1e-14); // running sums of 30 numbers
  for (Index k = 0; k < 29; ++k)
    BOOST_TEST(x.p(k) * (x.u(k + 1) - x.u(k)) == 0.); // sums start anew where u increases
}

// Any masses and b, bodies at both ends: the saddle point is checked by its definition.
BOOST_AUTO_TEST_CASE(affine_row_between_bodies_is_exact)
{
  Random random(2);
  for (int trial = 0; trial < 200; ++trial)
    {
      const Index n = 1 + random.below(12);
      Vector      b = random.normals(n + 1);
      b(n) +=
          std::max(0., -b.sum()) + (trial % 3 == 0 ? 0. : random.uniform()); // room for the row; none at all in every third
      const auto        problem = row_between_bodies(masses(random, n, 1.), 3. * random.normals(n), b);
      const SaddlePoint x       = ChainProjector(StoppingCriterion()).project(problem);
      if (x.status == Status::infeasible) // the sum of b may round to less than zero
        {
          BOOST_TEST(trial % 3 == 0);
          continue;
        }
      BOOST_TEST(saddle_point_defect(problem, x) <= 1e-13); // rounding of 13 terms of size 10
    }
}

BOOST_AUTO_TEST_CASE(bodies_that_close_on_a_row_are_infeasible_and_named)
{
  Vector b           = Vector::Zero(5);
  b(3)               = -.25; // the body behind pushes
  const auto problem = row_between_bodies(Vector::Ones(4), Vector::Zero(4), b);
  const auto x       = ChainProjector(StoppingCriterion()).project(problem);
  BOOST_TEST((x.status == Status::infeasible));
  Vector Btp(4);
  problem.B->apply_transpose(x.p, Btp);
  BOOST_TEST(Btp.norm() == 0.);
  BOOST_TEST(x.p.minCoeff() >= 0.);
  BOOST_TEST(b.dot(x.p) < 0.);
}

BOOST_AUTO_TEST_CASE(square_lattice_is_exact)
{
  Random        random(3);
  const Network network = disguised(lattice_patch(12, 9, false, .1), .7, 4);
  const auto    problem = network_problem(network, masses(random, network.size(), 1.), random.normals(2 * network.size()));
  const SaddlePoint x   = ChainProjector(StoppingCriterion()).project(problem);
  BOOST_TEST(x.converged());
  BOOST_TEST(x.n_iterations == 1u);
  BOOST_TEST(saddle_point_defect(problem, x) <= 1e-13); // sums of 12 numbers and two products with e
}

BOOST_AUTO_TEST_CASE(triangular_lattice_agrees_with_lawson_hanson)
{
  Random random(5);
  for (const double vacancies : {0., .15})
    for (const double decades : {0., 1.})
      {
        const Network network = disguised(lattice_patch(6, 5, true, vacancies), .3, 6);
        const auto    problem =
            network_problem(network, masses(random, network.size(), decades), random.normals(2 * network.size()));
        const Vector               u = LawsonHanson(to_tolerance(1e-10)).project(problem).u;
        ChainProjector::Parameters alone;
        alone.finish = false;
        for (const ChainProjector &projector :
             {ChainProjector(to_tolerance(1e-7)), ChainProjector(to_tolerance(1e-7), alone)})
          {
            const SaddlePoint x = projector.project(problem);
            BOOST_TEST(x.converged());
            BOOST_TEST(x.certificate.guaranteed);
            BOOST_TEST(x.p.minCoeff() >= 0.);
            BOOST_TEST(problem.V->norm(x.u - u) <= 1e-7 * x.certificate.scale); // the certified bound
          }
      }
}

// A triangular patch on a moving floor: fixed bodies and b in coupled families.
BOOST_AUTO_TEST_CASE(triangular_lattice_on_a_moving_floor_agrees_with_lawson_hanson)
{
  Random        random(7);
  const Network network = lattice_patch(5, 4, true);
  const auto    free    = network_problem(network, Vector::Ones(20), random.normals(40));
  Pairs         pairs   = network.pairs;
  const Index   n_links = static_cast<Index>(pairs.size());
  for (int k = 0; k < 5; ++k)
    pairs.push_back({k, body});
  Eigen::MatrixXd e(2, n_links + 5);
  e.leftCols(n_links)      = pairs_of(free).directions();
  e.rightCols(5).colwise() = Eigen::Vector2d(0., -1.);
  ProjectionProblem problem;
  problem.V = free.V;
  problem.B = std::make_shared<PairConstraint>(2, 20, pairs, e);
  problem.U = free.U;
  problem.b = Vector::Constant(n_links + 5, .1);
  problem.b.tail(5).setConstant(-.5); // the floor rises
  ChainProjector::Parameters alone;
  alone.finish                  = false;
  StoppingCriterion criterion   = to_tolerance(1e-9);
  criterion.on_natural_residual = true; // no expansion is known, so no bound is guaranteed
  const SaddlePoint x           = ChainProjector(criterion, alone).project(problem);
  BOOST_TEST(x.converged());
  BOOST_TEST((x.u - LawsonHanson().project(problem).u).lpNorm<Eigen::Infinity>() <=
             1e-7); // 1e-9 times the condition of 20 nodes
}

BOOST_AUTO_TEST_CASE(cubic_faces_in_space_are_coupled_and_certified)
{
  // Face-centred cubic: sites with even coordinate sums, 6 directions.
  Network                      network;
  std::vector<Eigen::Vector3d> sites;
  for (int z = 0; z < 4; ++z)
    for (int y = 0; y < 4; ++y)
      for (int x = 0; x < 4; ++x)
        if ((x + y + z) % 2 == 0)
          sites.emplace_back(x, y, z);
  network.r.resize(3, sites.size());
  for (std::size_t i = 0; i < sites.size(); ++i)
    {
      network.r.col(i) = sites[i];
      for (std::size_t j = 0; j < i; ++j)
        if ((sites[i] - sites[j]).squaredNorm() == 2.)
          network.pairs.push_back({static_cast<int>(j), static_cast<int>(i)});
    }
  Random     random(8);
  const auto problem = network_problem(network, Vector::Ones(network.size()), random.normals(3 * network.size()));
  const auto chains  = find_chain_families(pairs_of(problem));
  BOOST_TEST_REQUIRE(chains.has_value());
  BOOST_TEST(chains->families.size() == 6u);
  const SaddlePoint x = ChainProjector(to_tolerance(1e-6)).project(problem);
  BOOST_TEST(x.converged());
  BOOST_TEST(problem.V->norm(x.u - LawsonHanson(to_tolerance(1e-10)).project(problem).u) <= 1e-6 * x.certificate.scale);
}

BOOST_AUTO_TEST_CASE(colliding_halves_are_certified_relative_to_u)
{
  const Network network = lattice_patch(30, 30, true);
  Vector        U       = Vector::Zero(2 * network.size());
  const double  middle  = network.r.row(0).mean();
  for (Index k = 0; k < network.size(); ++k)
    U(2 * k) = network.r(0, k) < middle ? 1. : -1.;
  const auto        problem = network_problem(network, Vector::Ones(network.size()), U);
  const SaddlePoint x       = ChainProjector(to_tolerance(1e-6)).project(problem);
  BOOST_TEST(x.converged());
  BOOST_TEST(x.certificate.guaranteed);
  BOOST_TEST(x.certificate.relative_error_bound <= 1e-6);
  // the same bound against the deviation of u from its mean, which the collision leaves small
  const double u_size = problem.V->norm(x.u - problem.V->mean(x.u));
  BOOST_TEST(
      std::abs(x.certificate.bound_relative_to_u * u_size / (x.certificate.relative_error_bound * x.certificate.scale) -
               1.) <= 1e-10);
}

BOOST_AUTO_TEST_CASE(warm_start_from_the_solution_is_short)
{
  Random                     random(9);
  const Network              network = lattice_patch(20, 20, true);
  const auto                 problem = network_problem(network, Vector::Ones(400), random.normals(800));
  ChainProjector::Parameters alone;
  alone.finish = false;
  const ChainProjector projector(to_tolerance(1e-6), alone);
  const SaddlePoint    cold = projector.project(problem), warm = projector.project(problem, &cold.p);
  BOOST_TEST(cold.converged());
  BOOST_TEST(warm.converged());
  BOOST_TEST(warm.n_iterations < cold.n_iterations);
}

// The penalty that the splitting begins with is one of them.
BOOST_AUTO_TEST_CASE(every_penalty_leads_to_the_solution)
{
  Random        random(11);
  const Network network = lattice_patch(10, 10, true);
  const auto    problem = network_problem(network, Vector::Ones(100), random.normals(200));
  for (const double penalty : {.5, 1., 2.})
    {
      ChainProjector::Parameters parameters;
      parameters.penalty = penalty;
      BOOST_TEST(ChainProjector(to_tolerance(1e-6), parameters).project(problem).converged());
    }
}

BOOST_AUTO_TEST_CASE(coupled_projection_does_not_depend_on_threads)
{
  Random        random(10);
  const Network network = lattice_patch(150, 120, true); // more than one chunk
  const auto    problem = network_problem(network, Vector::Ones(network.size()), random.normals(2 * network.size()));
  ChainProjector::Parameters alone;
  alone.finish                = false;
  StoppingCriterion criterion = to_tolerance(1e-12);
  criterion.max_iterations    = 35;
  std::vector<Vector> results;
  for (const std::size_t threads : {1, 2})
    {
      const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
      results.push_back(ChainProjector(criterion, alone).project(problem).u);
    }
  BOOST_TEST((results[0].array() == results[1].array()).all());
}

// A row that fills the room between two walls up to the rounding of the running sums of b is not blocked.
BOOST_AUTO_TEST_CASE(a_row_that_fits_up_to_rounding_is_not_blocked)
{
  // .1 + .7 - .8 is -1e-16 in floating point
  for (const Vector &b : {Vector(Eigen::Vector4d(.1, .7, -.8, 0.)), Vector(Eigen::Vector4d(-.8, .1, .7, 0.)),
                          Vector(Eigen::Vector4d(1e6 * .1, 1e6 * .7, 1e6 * -.8, 0.))})
    {
      const Vector      U = Eigen::Vector3d(.3, -.2, .5);
      const SaddlePoint x = ChainProjector(to_tolerance(1e-6)).project(row_between_walls(U, b));
      BOOST_TEST((x.status != Status::infeasible));
      // nothing is left to choose
      const Vector u = Eigen::Vector3d(-b(0), -b(0) - b(1), b(3));
      BOOST_TEST(max_abs(x.u - u) <= 1e-15 * max_abs(b) * 4.);
    }
  Vector b = Eigen::Vector4d(.1, .7, -.8, -1e-9); // more than rounding
  BOOST_TEST(
      (ChainProjector(to_tolerance(1e-6)).project(row_between_walls(Vector::Zero(3), b)).status == Status::infeasible));
}

BOOST_AUTO_TEST_CASE(lines_that_are_known_need_not_be_found)
{
  Random        random(12);
  const Network network = lattice_patch(12, 9, true);
  const auto    problem = network_problem(network, masses(random, network.size(), 1.), random.normals(2 * network.size()));
  const auto    chains  = find_chain_families(pairs_of(problem));
  const ChainProjector projector(to_tolerance(1e-6));
  BOOST_TEST_REQUIRE(chains.has_value());
  const SaddlePoint found = projector.project(problem), known = projector.project(problem, *chains, nullptr);
  BOOST_TEST((found.u.array() == known.u.array()).all());
  BOOST_TEST(found.method == known.method);
}

// Blocks that touch only just are found after many iterations or never; without an interior point that ends early.
BOOST_AUTO_TEST_CASE(alternating_directions_that_rest_are_stagnated)
{
  Random                     random(9);
  const Network              network = lattice_patch(60, 60, true);
  const auto                 problem = network_problem(network, Vector::Ones(3600), random.normals(7200));
  ChainProjector::Parameters alone;
  alone.finish                  = false;
  StoppingCriterion criterion   = to_tolerance(1e-14);
  criterion.on_natural_residual = true; // out of reach
  const SaddlePoint x           = ChainProjector(criterion, alone).project(problem);
  BOOST_TEST((x.status == Status::stagnated));
  BOOST_TEST(x.n_iterations < criterion.max_iterations / 2);
}

BOOST_AUTO_TEST_SUITE_END()
