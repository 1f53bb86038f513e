// SPDX-License-Identifier: GPL-3.0-or-later
#include "convex/solvers/lawson_hanson.h"

#include "tests/oracles.h"

#include <Eigen/LU>
#include <boost/test/unit_test.hpp>

BOOST_AUTO_TEST_SUITE(lawson_hanson)

using namespace moreau::convex;
using namespace moreau;

namespace
{
/// Dense rows as a problem with unit masses.
ProjectionProblem dense_problem(const Eigen::MatrixXd &B, const Vector &b, const Vector &U)
{
  ProjectionProblem problem;
  problem.V = std::make_shared<DiagonalSpace>(Vector::Ones(B.cols()));
  problem.B = std::make_shared<SparseConstraint>(B.sparseView());
  problem.U = U;
  problem.b = b;
  return problem;
}

/// |B*(p - q)|: multipliers are compared by what they do, never entry by entry.
double distance_of_impulses(const ProjectionProblem &problem, const Vector &p, const Vector &q)
{
  return problem.V->norm(problem.velocity_of(p) - problem.velocity_of(q));
}

/// max_c |p_c (b - Bu)_c|, negative p and violated rows included: zero exactly at a saddle point.
double optimality_defect(const ProjectionProblem &problem, const Vector &u, const Vector &p)
{
  Vector Bu(problem.n_constraints());
  problem.B->apply(u, Bu);
  const Vector slack = problem.right_hand_side() - Bu;
  return p.size() == 0 ? 0. : p.cwiseMin(slack).lpNorm<Eigen::Infinity>();
}

/// An inner product that is not diagonal.
class FullSpace : public VelocitySpace
{
public:
  explicit FullSpace(const Eigen::MatrixXd &M) : M(M), inverse(M.inverse()) {}
  Index  size() const override { return M.rows(); }
  double dot(const Vector &u, const Vector &v) const override { return u.dot(M * v); }
  void   riesz(const Vector &v, Vector &Mv) const override { Mv = M * v; }
  void   inverse_riesz(const Vector &f, Vector &v) const override { v = inverse * f; }

private:
  Eigen::MatrixXd M, inverse;
};

std::vector<oracles::Oracle> all_oracles(const unsigned int seed)
{
  std::vector<oracles::Oracle> all = oracles::affine_oracles(seed);
  for (const auto &more : {oracles::cone_oracles(seed), oracles::network_cones(seed)})
    all.insert(all.end(), more.begin(), more.end());
  return all;
}
} // namespace

BOOST_AUTO_TEST_CASE(every_oracle_is_solved_to_rounding)
{
  for (const unsigned int seed : {1u, 2u, 3u, 4u, 5u})
    for (const auto &oracle : all_oracles(seed))
      BOOST_TEST_CONTEXT(oracle.name << ", seed " << seed)
      {
        const ProjectionProblem &problem = oracle.problem;
        const SaddlePoint        x       = LawsonHanson().project(problem);
        BOOST_TEST_REQUIRE(x.converged());
        // rounding of a few hundred operations, amplified by the condition of the active rows
        const double size = problem.V->norm(problem.U - problem.V->mean(problem.U));
        BOOST_TEST(problem.V->norm(x.u - oracle.u) < 1e-11 * size);
        BOOST_TEST(distance_of_impulses(problem, x.p, oracle.p) < 1e-11 * size);
        BOOST_TEST(x.p.minCoeff() >= 0.);
        if (oracle.p_is_unique)
          BOOST_TEST((x.p - oracle.p).lpNorm<Eigen::Infinity>() <= 1e-9 * oracle.p.lpNorm<Eigen::Infinity>());
      }
}

// With more rows than unknowns the rows in the active set stay independent: p has at most n positive entries.
BOOST_AUTO_TEST_CASE(multipliers_are_supported_on_independent_rows)
{
  for (const auto &oracle : all_oracles(7))
    {
      const SaddlePoint x = LawsonHanson().project(oracle.problem);
      BOOST_TEST((x.p.array() > 0.).count() <= oracle.problem.n_unknowns());
    }
}

// A dense triangular patch pressed together has every contact degenerate: 3n contacts for 2n unknowns.
BOOST_AUTO_TEST_CASE(a_hyperstatic_patch_pressed_together_does_not_cycle)
{
  const oracles::Network network = oracles::lattice_patch(9, 9, true);
  const Index            n       = network.size();
  Vector                 U(2 * n);
  for (Index k = 0; k < n; ++k)
    U.segment(2 * k, 2) = -(network.r.col(k) - network.r.rowwise().mean());
  const ProjectionProblem problem = oracles::network_problem(network, Vector::Ones(n), U);

  const SaddlePoint x = LawsonHanson().project(problem);

  BOOST_TEST_REQUIRE(x.converged());
  BOOST_TEST(x.u.lpNorm<Eigen::Infinity>() < 1e-12 * U.lpNorm<Eigen::Infinity>()); // rounding only
  BOOST_TEST(optimality_defect(problem, x.u, x.p) < 1e-12 * U.lpNorm<Eigen::Infinity>());
}

BOOST_AUTO_TEST_CASE(random_velocities_on_networks_satisfy_the_optimality_conditions)
{
  oracles::Random random(11);
  for (unsigned int seed = 1; seed <= 20; ++seed)
    {
      const oracles::Network network =
          seed % 2 ? oracles::random_network(2, 20, 45, seed) : oracles::lattice_patch(7, 6, true, .1, seed);
      const Index             n = network.size();
      const ProjectionProblem problem =
          oracles::network_problem(network, oracles::masses(random, n, 2.), random.normals(2 * n));
      const SaddlePoint x = LawsonHanson().project(problem);
      BOOST_TEST_REQUIRE(x.converged());
      const double size = problem.U.lpNorm<Eigen::Infinity>();
      BOOST_TEST(optimality_defect(problem, x.u, x.p) < 1e-11 * size); // rounding times the condition of the active rows
      BOOST_TEST(problem.V->norm(x.u - problem.velocity_of(x.p)) < 1e-11 * problem.V->norm(problem.U));
    }
}

BOOST_AUTO_TEST_CASE(operators_without_entries_and_full_mass_matrices_are_fine)
{
  oracles::Random       random(3);
  const Index           m = 20, n = 12;
  const Eigen::MatrixXd B = oracles::random_matrix(random, m, n, m, .6),
                        A = Eigen::MatrixXd::NullaryExpr(n, n, [&](Index, Index) { return random.normal(); });
  ProjectionProblem problem;
  problem.V = std::make_shared<FullSpace>(A * A.transpose() + Eigen::MatrixXd::Identity(n, n));
  problem.B = std::make_shared<oracles::OpaqueConstraint>(std::make_shared<SparseConstraint>(B.sparseView()));
  const oracles::Oracle oracle = oracles::affine_oracle("full mass matrix", problem, random);

  const SaddlePoint x = LawsonHanson().project(oracle.problem);

  BOOST_TEST_REQUIRE(x.converged());
  BOOST_TEST(oracle.problem.V->norm(x.u - oracle.u) < 1e-11 * oracle.problem.V->norm(oracle.problem.U)); // rounding
}

// Wherever the guess is wrong the answer is the same; where it is right no step is needed.
BOOST_AUTO_TEST_CASE(a_guess_changes_the_work_and_not_the_answer)
{
  oracles::Random random(17);
  for (const auto &oracle : all_oracles(13))
    BOOST_TEST_CONTEXT(oracle.name)
    {
      const SaddlePoint cold  = LawsonHanson().project(oracle.problem),
                        again = LawsonHanson().project(oracle.problem, &cold.p);
      BOOST_TEST(again.n_iterations == 0u);
      const Vector      noise = random.normals(oracle.problem.n_constraints());
      const SaddlePoint warm  = LawsonHanson().project(oracle.problem, &noise);
      BOOST_TEST_REQUIRE(warm.converged());
      BOOST_TEST(oracle.problem.V->norm(warm.u - cold.u) < 1e-11 * oracle.problem.V->norm(oracle.problem.U)); // rounding
    }
}

// v <= -1 and v >= 1 cannot both hold: the proof is (1, 1, 0), the third row has nothing to do with it.
BOOST_AUTO_TEST_CASE(contradictory_rows_are_named_by_a_proof)
{
  Eigen::MatrixXd B(3, 2);
  B << 1., 0., -1., 0., 0., 1.;
  Vector b(3);
  b << -1., -1., 5.;
  const SaddlePoint x = LawsonHanson().project(dense_problem(B, b, Vector::Constant(2, .3)));
  BOOST_TEST((x.status == Status::infeasible));
  BOOST_TEST((x.p - Vector::Unit(3, 0) - Vector::Unit(3, 1)).norm() < 1e-14); // rounding
}

BOOST_AUTO_TEST_CASE(proofs_of_emptiness_are_nonnegative_in_the_kernel_and_negative_on_b)
{
  oracles::Random random(5);
  for (int trial = 0; trial < 20; ++trial)
    {
      // p0 in ker Bᵀ by construction of the last row, <b,p0> < 0 by choice of its offset
      const Index     m = 15, n = 20;
      Eigen::MatrixXd B  = oracles::random_matrix(random, m, n, m, .5);
      Vector          p0 = random.normals(m).cwiseAbs(), b = random.normals(m);
      p0(m - 1)    = 1.;
      B.row(m - 1) = -p0.head(m - 1).transpose() * B.topRows(m - 1);
      b(m - 1)     = -p0.head(m - 1).dot(b.head(m - 1)) - .1;

      const SaddlePoint x = LawsonHanson().project(dense_problem(B, b, random.normals(n)));
      BOOST_TEST_REQUIRE((x.status == Status::infeasible));
      BOOST_TEST(x.p.minCoeff() >= 0.);
      BOOST_TEST(x.p.maxCoeff() == 1.);
      BOOST_TEST((B.transpose() * x.p).norm() < 1e-11 * B.norm()); // rounding times the condition of the rows
      BOOST_TEST(x.p.dot(b) < -1e-3);                              // far above rounding: the margin was .1
    }
}

// Two walls at the same speed hold a sphere: K is one point, and not empty.
BOOST_AUTO_TEST_CASE(walls_that_leave_one_velocity_are_feasible)
{
  Eigen::MatrixXd B(2, 1);
  B << 1., -1.;
  Vector b(2);
  b << .1, -.1;
  const SaddlePoint x = LawsonHanson().project(dense_problem(B, b, Vector::Constant(1, 3.)));
  BOOST_TEST(x.converged());
  BOOST_TEST(std::abs(x.u(0) - .1) < 1e-15); // one rounding
}

BOOST_AUTO_TEST_CASE(a_row_without_entries_is_met_or_proves_emptiness)
{
  Vector b(2);
  b << -1., 1.;
  Eigen::MatrixXd B = Eigen::MatrixXd::Zero(2, 2);
  B(1, 0)           = 1.;
  BOOST_TEST((LawsonHanson().project(dense_problem(B, b, Vector::Ones(2))).status == Status::infeasible));
  b(0) = 0.;
  BOOST_TEST(LawsonHanson().project(dense_problem(B, b, Vector::Ones(2))).converged());
}

BOOST_AUTO_TEST_CASE(no_constraints_leave_the_velocity_alone)
{
  const Vector      U = Vector::LinSpaced(4, -1., 2.);
  const SaddlePoint x = LawsonHanson().project(dense_problem(Eigen::MatrixXd(0, 4), Vector(), U));
  BOOST_TEST(x.converged());
  BOOST_TEST((x.u - U).lpNorm<Eigen::Infinity>() < 1e-15); // the mean is taken out and put back
}

BOOST_AUTO_TEST_CASE(the_cap_on_steps_is_a_status)
{
  const auto        oracle = oracles::network_cones(1)[1];
  StoppingCriterion criterion;
  criterion.max_iterations = LawsonHanson().project(oracle.problem).n_iterations / 2;
  const SaddlePoint x      = LawsonHanson(criterion).project(oracle.problem);
  BOOST_TEST((x.status == Status::iteration_limit));
  BOOST_TEST(x.n_iterations <= 2 * criterion.max_iterations);
  BOOST_TEST(x.certificate.relative_error_bound > 1e-3); // stopped halfway: far from the answer, and it says so
}

BOOST_AUTO_TEST_CASE(a_velocity_that_is_not_a_number_never_converges)
{
  auto oracle         = oracles::affine_oracles(1)[2];
  oracle.problem.U(3) = std::nan("");
  BOOST_TEST(!LawsonHanson().project(oracle.problem).converged());
}

BOOST_AUTO_TEST_CASE(a_guess_of_another_length_or_that_is_not_finite_is_passed_over)
{
  const oracles::Oracle oracle    = oracles::network_cones(3).front();
  const SaddlePoint     cold      = LawsonHanson().project(oracle.problem);
  const Vector          too_short = Vector::Ones(1), too_long = Vector::Ones(oracle.p.size() + 7);
  Vector                infinite = oracle.p;
  infinite(0)                    = std::numeric_limits<double>::infinity();
  for (const Vector *const p_start : {&too_short, &too_long, static_cast<const Vector *>(&infinite)})
    BOOST_TEST((LawsonHanson().project(oracle.problem, p_start).u.array() == cold.u.array()).all());
}

BOOST_AUTO_TEST_SUITE_END()
