// SPDX-License-Identifier: GPL-3.0-or-later
#include "convex/certificate.h"
#include "convex/solvers/pair_sweep.h"
#include "convex/solvers/projected_gradient.h"
#include "tests/oracles.h"

#include <boost/test/unit_test.hpp>

#include <Eigen/Eigenvalues>
#include <tbb/global_control.h>

#include <limits>
#include <numeric>

BOOST_AUTO_TEST_SUITE(projected_gradient)

using namespace moreau;
using namespace moreau::convex;

namespace
{
StoppingCriterion natural(const double tolerance)
{
  StoppingCriterion criterion;
  criterion.tolerance           = tolerance;
  criterion.on_natural_residual = true;
  return criterion;
}

SaddlePoint solve(const ProjectionProblem &problem, const double residual = 1e-12)
{
  return ProjectedGradient(natural(residual)).project(problem);
}

/// |u - v| relative to the problem.
double distance(const ProjectionProblem &problem, const Vector &u, const Vector &v)
{
  return problem.V->norm(u - v) / relative_scale(problem);
}

/// A triangular patch with a quarter of the contacts missing in random places
/// and random masses: loose enough to converge fast.
oracles::Network loose_patch(const Index nx, const Index ny, const unsigned int seed)
{
  oracles::Random  random(seed);
  oracles::Network network = oracles::lattice_patch(nx, ny, true);
  for (Index k = 0; k < network.size(); ++k)
    for (Index a = 0; a < 2; ++a)
      network.r(a, k) += .15 * (2. * random.uniform() - 1.);
  auto &pairs = network.pairs;
  pairs.erase(std::remove_if(pairs.begin(), pairs.end(), [&](const auto &) { return random.uniform() < .25; }), pairs.end());
  return network;
}

ProjectionProblem loose_problem(const Index nx, const Index ny, const unsigned int seed, const double decades = 0.)
{
  const oracles::Network network = loose_patch(nx, ny, seed);
  oracles::Random        random(seed + 100);
  const Vector           mass = oracles::masses(random, network.size(), decades);
  return oracles::network_problem(network, mass, random.normals(2 * network.size()));
}

/// n bodies in a row on a line; the first touches a wall on its left and, where closed, the last one a wall on its right.
ProjectionProblem row_on_a_wall(const Vector &mass, const bool closed)
{
  const int                         n = static_cast<int>(mass.size());
  std::vector<PairConstraint::Pair> pairs;
  for (int k = 0; k + 1 < n; ++k)
    pairs.push_back({k, k + 1});
  pairs.push_back({0, PairConstraint::fixed_body});
  if (closed)
    pairs.push_back({n - 1, PairConstraint::fixed_body});
  Eigen::MatrixXd e = Eigen::MatrixXd::Ones(1, pairs.size());
  e(0, n - 1)       = -1.; // from the first body to the left
  ProjectionProblem problem;
  problem.V = std::make_shared<DiagonalSpace>(mass);
  problem.B = std::make_shared<PairConstraint>(1, n, pairs, e);
  problem.U = Vector::Constant(n, -1.);
  return problem;
}
} // namespace

// u is unique, p is not. The residual 1e-12 is met; |u - u*| is larger by the conditioning of these matrices, up to 1e4.
BOOST_AUTO_TEST_CASE(known_answers_are_found)
{
  for (const unsigned int seed : {1, 2, 3})
    for (const auto &oracles : {oracles::affine_oracles(seed), oracles::cone_oracles(seed), oracles::network_cones(seed)})
      for (const oracles::Oracle &oracle : oracles)
        {
          const SaddlePoint x = solve(oracle.problem);
          BOOST_TEST_INFO(oracle.name << ", seed " << seed << ", " << x.n_iterations << " passes, " << name(x.status));
          BOOST_TEST(x.converged());
          BOOST_TEST_INFO(oracle.name << ", seed " << seed);
          BOOST_TEST(distance(oracle.problem, x.u, oracle.u) < 1e-8);
          BOOST_TEST(x.p.minCoeff() >= 0.);
        }
}

BOOST_AUTO_TEST_CASE(the_bound_is_met_where_it_is_asked)
{
  StoppingCriterion criterion;
  criterion.tolerance = 1e-6;
  const SaddlePoint x = ProjectedGradient(criterion).project(loose_problem(12, 12, 1));
  BOOST_TEST(x.converged());
  BOOST_TEST(x.certificate.guaranteed);
  BOOST_TEST(x.certificate.relative_error_bound <= 1e-6);
}

// The three ways through B take the same steps where rows are scaled alike; the general one scales no rows, which changes
// the way but not the goal.
BOOST_AUTO_TEST_CASE(pairs_matrices_and_operators_agree)
{
  for (const double decades : {0., 3.})
    {
      ProjectionProblem pairs = loose_problem(12, 10, 7, decades), sparse = pairs, opaque = pairs;
      sparse.B = std::make_shared<SparseConstraint>(dynamic_cast<const PairConstraint &>(*pairs.B).matrix());
      opaque.B = std::make_shared<oracles::OpaqueConstraint>(pairs.B);

      ProjectedGradientIteration from_pairs(pairs), from_matrix(sparse);
      BOOST_TEST(from_pairs.step_bound() == from_matrix.step_bound(), boost::test_tools::tolerance(.05)); // power iterations
      const Vector u = solve(pairs).u;
      BOOST_TEST(distance(pairs, solve(sparse).u, u) < 1e-10); // residual 1e-12
      BOOST_TEST(distance(pairs, solve(opaque).u, u) < 1e-10);
    }
}

BOOST_AUTO_TEST_CASE(the_natural_residual_is_that_of_the_certificate)
{
  const ProjectionProblem    problem = loose_problem(12, 10, 3, 2.);
  ProjectedGradientIteration iteration(problem);
  iteration.accelerated_gradient(20);
  const double residual = iteration.natural_residual();
  BOOST_TEST(residual > 1e-6); // not at the end: a comparison of zeros would say nothing
  BOOST_TEST(residual == certify(problem, iteration.u(), iteration.p()).natural_residual,
             boost::test_tools::tolerance(1e-9)); // the frames differ: rounding of max|U| against the residual
}

// Bodies flying against a wall stop and press with the momentum of all that come after them.
BOOST_AUTO_TEST_CASE(a_row_stops_at_a_wall)
{
  Vector mass(6);
  mass << 1., 2., .5, 4., 1., 3.;
  const SaddlePoint x = solve(row_on_a_wall(mass, false));
  BOOST_TEST(x.u.lpNorm<Eigen::Infinity>() < 1e-9); // residual 1e-12, condition of a row of six about 50
  for (Index k = 0; k + 1 < mass.size(); ++k)
    BOOST_TEST(x.p(k) == mass.tail(mass.size() - k - 1).sum(), boost::test_tools::tolerance(1e-9));
  BOOST_TEST(x.p(5) == mass.sum(), boost::test_tools::tolerance(1e-9));
}

BOOST_AUTO_TEST_CASE(walls_that_close_on_a_row_make_it_infeasible)
{
  ProjectionProblem problem = row_on_a_wall(Vector::Ones(8), true);
  problem.b                 = Vector::Zero(9);
  problem.b(8)              = -.1; // the right wall comes in
  const SaddlePoint x       = solve(problem);
  BOOST_TEST((x.status == Status::infeasible));
  BOOST_TEST(!x.converged());
  // the only chain is the whole row: B*p = 0 makes all p equal, and the largest is 1
  BOOST_TEST((x.p - Vector::Ones(9)).lpNorm<Eigen::Infinity>() < 1e-5);

  problem.b(8) = .1; // the right wall goes away
  BOOST_TEST(solve(problem).converged());
}

BOOST_AUTO_TEST_CASE(a_blocked_chain_is_found_beside_an_ordinary_collision)
{
  // three bodies between closing walls, and far away two bodies that collide
  std::vector<PairConstraint::Pair> pairs{{0, 1}, {1, 2}, {0, -1}, {2, -1}, {3, 4}};
  Eigen::MatrixXd                   e(1, 5);
  e << 1., 1., -1., 1., 1.;
  ProjectionProblem problem;
  problem.V = std::make_shared<DiagonalSpace>(Vector::Ones(5));
  problem.B = std::make_shared<PairConstraint>(1, 5, pairs, e);
  problem.U.resize(5);
  problem.U << 0., 0., 0., 1., -1.;
  problem.b.resize(5);
  problem.b << 0., 0., -.5, -.5, 0.;
  const SaddlePoint x = solve(problem);
  BOOST_TEST((x.status == Status::infeasible));
  BOOST_TEST(x.p.head(4).minCoeff() > .999);
  BOOST_TEST(x.p(4) == 0.);
}

BOOST_AUTO_TEST_CASE(a_neighbouring_p_saves_passes)
{
  ProjectionProblem problem = loose_problem(30, 30, 5);
  const SaddlePoint before  = solve(problem, 1e-8);
  oracles::Random   random(9);
  problem.U += .01 * random.normals(problem.U.size());
  const ProjectedGradient projector(natural(1e-8));
  const SaddlePoint       cold = projector.project(problem), warm = projector.project(problem, &before.p);
  BOOST_TEST(warm.converged());
  BOOST_TEST(warm.n_iterations < .9 * cold.n_iterations);
  BOOST_TEST(projector.project(problem, &cold.p).n_iterations <= 2); // at the answer: one look
}

// More rows than the threshold for threads, several blocks, all stages.
BOOST_AUTO_TEST_CASE(digits_do_not_depend_on_the_number_of_threads)
{
  const ProjectionProblem problem = loose_problem(130, 130, 2, 1.);
  BOOST_TEST_REQUIRE(problem.n_constraints() > 30000);
  std::vector<Vector> p;
  for (const int n_threads : {1, 2, 5})
    {
      const tbb::global_control  control(tbb::global_control::max_allowed_parallelism, n_threads);
      ProjectedGradientIteration iteration(problem);
      iteration.accelerated_gradient(40);
      iteration.face_conjugate_gradients(10);
      iteration.accelerated_gradient(10);
      p.push_back(iteration.p());
    }
  BOOST_TEST((p[1].array() == p[0].array()).all());
  BOOST_TEST((p[2].array() == p[0].array()).all());
  BOOST_TEST(p[0].maxCoeff() > 0.);
}

BOOST_AUTO_TEST_CASE(numbering_changes_nothing_but_rounding)
{
  const oracles::Network network = loose_patch(70, 70, 4); // two blocks
  oracles::Random        random(8);
  const Index            n        = network.size();
  const Vector           U        = random.normals(2 * n);
  const auto             shuffled = [&random](const Index size) {
    std::vector<int> order(size);
    std::iota(order.begin(), order.end(), 0);
    for (Index k = size - 1; k > 0; --k)
      std::swap(order[k], order[random.below(k + 1)]);
    return order;
  };
  const std::vector<int> new_number = shuffled(n), row_order = shuffled(network.pairs.size());
  oracles::Network       other = network;
  Vector                 other_U(2 * n);
  for (Index k = 0; k < n; ++k)
    {
      other.r.col(new_number[k])            = network.r.col(k);
      other_U.segment<2>(2 * new_number[k]) = U.segment<2>(2 * k);
    }
  for (std::size_t c = 0; c < network.pairs.size(); ++c)
    {
      const auto &[i, j] = network.pairs[row_order[c]];
      const bool turned  = c % 3 == 0;
      other.pairs[c].i   = new_number[turned ? j : i];
      other.pairs[c].j   = new_number[turned ? i : j];
    }
  const auto problem = [](const oracles::Network &net, const Vector &velocity) {
    return oracles::network_problem(net, Vector::Ones(net.size()), velocity);
  };
  const ProjectionProblem first = problem(network, U);
  const Vector            u = solve(first, 1e-9).u, v = solve(problem(other, other_U), 1e-9).u;
  Vector                  v_back(2 * n);
  for (Index k = 0; k < n; ++k)
    v_back.segment<2>(2 * k) = v.segment<2>(2 * new_number[k]);
  BOOST_TEST(distance(first, u, v_back) < 1e-6); // residuals 1e-9, condition of the network
}

BOOST_AUTO_TEST_CASE(units_and_uniform_motion_change_nothing)
{
  const ProjectionProblem problem = loose_problem(15, 15, 6, 1.);
  const SaddlePoint       x       = solve(problem, 1e-10);

  ProjectionProblem in_other_units = problem;
  in_other_units.U                 = 1024. * problem.U;
  in_other_units.V =
      std::make_shared<DiagonalSpace>(dynamic_cast<const DiagonalSpace &>(*problem.V).masses_of_nodes() / 4096., 2);
  const SaddlePoint y = solve(in_other_units, 1e-10);
  BOOST_TEST(y.n_iterations == x.n_iterations); // powers of 2 (squares of them for masses): the same digits
  BOOST_TEST((y.u / 1024. - x.u).lpNorm<Eigen::Infinity>() < 1e-12);

  ProjectionProblem moving = problem;
  const Vector      wind   = Eigen::Vector2d(1e4, -2e4).replicate(problem.U.size() / 2, 1);
  moving.U += wind;
  const SaddlePoint z = solve(moving, 1e-10);
  BOOST_TEST(z.converged());
  BOOST_TEST(distance(problem, z.u - wind, x.u) < 1e-8); // U itself is rounded to 4e-12
}

BOOST_AUTO_TEST_CASE(a_cap_is_respected_and_reported)
{
  StoppingCriterion criterion     = natural(1e-12);
  criterion.max_iterations        = 60;
  const ProjectionProblem problem = loose_problem(20, 20, 1);
  const SaddlePoint       x       = ProjectedGradient(criterion).project(problem);
  BOOST_TEST((x.status == Status::iteration_limit));
  BOOST_TEST(x.n_iterations >= 60);
  BOOST_TEST(x.n_iterations <= 75); // the last stage may end with half passes for restarts and looks at the residual
  BOOST_TEST((x.u - problem.velocity_of(x.p)).lpNorm<Eigen::Infinity>() == 0.);
}

// Below rounding nothing can be asked for: the answer is as good as numbers are.
BOOST_AUTO_TEST_CASE(an_unreachable_residual_ends_at_rounding)
{
  ProjectedGradient::Parameters parameters;
  parameters.stall_passes = 400;
  const SaddlePoint x     = ProjectedGradient(natural(1e-30), parameters).project(loose_problem(8, 8, 2));
  BOOST_TEST(x.converged());
  BOOST_TEST(x.certificate.natural_residual > 1e-30);
  BOOST_TEST(x.certificate.natural_residual < 1e-13);
}

BOOST_AUTO_TEST_CASE(not_a_number_never_converges)
{
  ProjectionProblem problem = loose_problem(8, 8, 2);
  problem.U(5)              = std::numeric_limits<double>::quiet_NaN();
  BOOST_TEST(!solve(problem).converged());
}

BOOST_AUTO_TEST_CASE(admissible_velocities_cost_one_look)
{
  ProjectionProblem problem = loose_problem(8, 8, 2);
  problem.U                 = problem.expansion.w;
  const SaddlePoint x       = solve(problem);
  BOOST_TEST(x.converged());
  BOOST_TEST(x.n_iterations == 1u);
  BOOST_TEST((x.u.array() == problem.U.array()).all());
}

BOOST_AUTO_TEST_CASE(no_rows_leave_the_velocity)
{
  ProjectionProblem problem;
  problem.V           = std::make_shared<DiagonalSpace>(Vector::Ones(3), 2);
  problem.B           = std::make_shared<PairConstraint>(2, 3, std::vector<PairConstraint::Pair>{}, Eigen::MatrixXd(2, 0));
  problem.U           = Vector::LinSpaced(6, 0., 1.);
  const SaddlePoint x = solve(problem);
  BOOST_TEST(x.converged());
  BOOST_TEST((x.u.array() == problem.U.array()).all());
}

BOOST_AUTO_TEST_CASE(the_step_bound_is_just_above_the_spectrum)
{
  for (const double decades : {0., 4.})
    {
      const ProjectionProblem problem = loose_problem(9, 8, 11, decades);
      const auto             &masses  = dynamic_cast<const DiagonalSpace &>(*problem.V).masses();
      const Eigen::MatrixXd   B       = dynamic_cast<const SparseConstraint &>(*problem.B).matrix();
      const Eigen::MatrixXd   W       = B * masses.cwiseInverse().asDiagonal() * B.transpose();
      const Vector            scale   = (.5 * W.diagonal()).cwiseSqrt().cwiseInverse();
      const Eigen::MatrixXd   scaled  = scale.asDiagonal() * W * scale.asDiagonal();
      const double            largest = Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(scaled).eigenvalues().maxCoeff();
      const double            bound   = ProjectedGradientIteration(problem).step_bound();
      BOOST_TEST(bound > .98 * largest); // steps up to 4/(3 λ_max) are stable
      BOOST_TEST(bound < 1.06 * largest);
    }
}

BOOST_AUTO_TEST_CASE(blocks_of_nodes_are_compact)
{
  const oracles::Network   network = oracles::lattice_patch(96, 96, true);
  const sweeps::NodeBlocks blocks(network.size(), network.pairs, 1024);
  std::vector<int>         sorted = blocks.order;
  std::sort(sorted.begin(), sorted.end());
  std::size_t crossing = 0;
  for (Index k = 0; k < network.size(); ++k)
    {
      BOOST_TEST_REQUIRE(sorted[k] == k);
      BOOST_TEST_REQUIRE(blocks.order[blocks.position[k]] == k);
    }
  for (const auto &[i, j] : network.pairs)
    crossing += blocks.position[i] / 1024 != blocks.position[j] / 1024;
  // squares of 32 x 32 would cut 2 x 32 x 2 of 3 x 1024 pairs per block: 4 %
  BOOST_TEST(crossing < .1 * network.pairs.size());
}

BOOST_AUTO_TEST_CASE(a_guess_of_another_length_or_that_is_not_finite_is_passed_over)
{
  const oracles::Oracle oracle = oracles::network_cones(3).front();
  StoppingCriterion     criterion;
  criterion.max_iterations = 50;
  const ProjectedGradient projector(criterion);
  const SaddlePoint       cold      = projector.project(oracle.problem);
  const Vector            too_short = Vector::Ones(1), too_long = Vector::Ones(oracle.p.size() + 7);
  Vector                  infinite = oracle.p;
  infinite(0)                      = std::numeric_limits<double>::infinity();
  for (const Vector *const p_start : {&too_short, &too_long, static_cast<const Vector *>(&infinite)})
    BOOST_TEST((projector.project(oracle.problem, p_start).u.array() == cold.u.array()).all());
}

BOOST_AUTO_TEST_CASE(a_cap_of_zero_allows_nothing)
{
  const oracles::Oracle oracle = oracles::network_cones(3).front();
  StoppingCriterion     criterion;
  criterion.max_iterations = 0;
  const SaddlePoint x      = ProjectedGradient(criterion).project(oracle.problem);
  BOOST_TEST((x.status == Status::iteration_limit));
  BOOST_TEST(x.n_iterations == 0u);
  BOOST_TEST(x.p.isZero(0.));
}

BOOST_AUTO_TEST_SUITE_END()
