// SPDX-License-Identifier: GPL-3.0-or-later
#include "convex/certificate.h"

#include "convex/solvers/lawson_hanson.h"
#include "tests/oracles.h"

#include <Eigen/Dense>

#include <boost/test/unit_test.hpp>

BOOST_AUTO_TEST_SUITE(certificate)

using namespace moreau::convex;
using namespace moreau;

namespace
{

double max_abs(const Vector &v) { return v.lpNorm<Eigen::Infinity>(); }

/// Bv - b.
Vector excess(const ProjectionProblem &problem, const Vector &v)
{
  Vector Bv(problem.n_constraints());
  problem.B->apply(v, Bv);
  return Bv - problem.right_hand_side();
}

/// Gives an affine problem whose rows are independent a strictly feasible direction: w with Bw = -1.
void add_expansion(ProjectionProblem &problem)
{
  const Eigen::MatrixXd B         = static_cast<const SparseConstraint &>(*problem.B).matrix();
  Expansion            &expansion = problem.expansion;
  expansion.w                     = B.completeOrthogonalDecomposition().solve(Vector::Constant(B.rows(), -1.));
  expansion.part_of_unknown.assign(B.cols(), 0);
  expansion.part_of_row.assign(B.rows(), 0);
  expansion.n_parts = 1;
}

/// Oracles on which every velocity can be repaired.
std::vector<oracles::Oracle> repairable_oracles(const unsigned int seed)
{
  std::vector<oracles::Oracle> all = oracles::network_cones(seed);
  for (auto &oracle : oracles::affine_oracles(seed))
    if (oracle.p_is_unique)
      {
        add_expansion(oracle.problem);
        all.push_back(oracle);
      }
  return all;
}

/// The projection of a strip of discs pressed together between two walls, frame and walls moving with `speed` along x.
oracles::Oracle row_between_walls(const double speed)
{
  const int                         n = 5, wall = PairConstraint::fixed_body;
  std::vector<PairConstraint::Pair> pairs;
  Eigen::MatrixXd                   e = Eigen::MatrixXd::Ones(1, n);
  for (int k = 0; k < n; ++k)
    pairs.push_back({k, k + 1 < n ? k + 1 : wall});
  oracles::Oracle oracle;
  oracle.problem.V = std::make_shared<DiagonalSpace>(Vector::Ones(n));
  oracle.problem.B = std::make_shared<PairConstraint>(1, n, pairs, e);
  oracle.problem.U.resize(n);
  oracle.problem.U << 2., -1., .5, 1., .25;
  oracle.problem.U.array() += speed;
  oracle.problem.b = Vector::Unit(n, n - 1) * speed;
  // the row can move away from the one wall it touches
  oracle.problem.expansion.w = Vector::LinSpaced(n, -5., -1.);
  oracle.problem.expansion.part_of_unknown.assign(n, 0);
  oracle.problem.expansion.part_of_row.assign(n, 0);
  oracle.problem.expansion.n_parts = 1;
  const SaddlePoint x              = LawsonHanson().project(oracle.problem);
  oracle.u                         = x.u;
  oracle.p                         = x.p;
  return oracle;
}
} // namespace

// |u - u*| and |u_p - u*| of any pair are below the bound, from perturbations of rounding size to nonsense.
BOOST_AUTO_TEST_CASE(bounds_hold_for_arbitrary_pairs)
{
  oracles::Random random(1);
  for (const unsigned int seed : {1u, 2u, 3u})
    for (const auto &oracle : repairable_oracles(seed))
      for (const double size : {0., 1e-13, 1e-10, 1e-7, 1e-4, 1e-1, 10.})
        for (const bool error_in_p : {false, true})
          BOOST_TEST_CONTEXT(oracle.name << ", seed " << seed << ", perturbation " << size
                                         << (error_in_p ? " of p" : " of u"))
          {
            const ProjectionProblem &problem = oracle.problem;
            Vector                   u = oracle.u, p = oracle.p;
            if (error_in_p)
              {
                p = (p + size * random.normals(p.size())).cwiseMax(0.);
                u = problem.velocity_of(p);
              }
            else
              u += size * random.normals(u.size());
            const Certificate certificate = certify(problem, u, p);
            const double      error       = problem.V->norm(u - oracle.u) / certificate.scale;
            BOOST_TEST(certificate.guaranteed);
            // the answer itself is known to rounding
            BOOST_TEST(error <= certificate.relative_error_bound + 1e-14);
            BOOST_TEST(certificate.gap >= 0.);
          }
}

BOOST_AUTO_TEST_CASE(bounds_hold_for_unrelated_pairs)
{
  oracles::Random random(2);
  for (const auto &oracle : repairable_oracles(4))
    for (int trial = 0; trial < 20; ++trial)
      {
        const ProjectionProblem &problem = oracle.problem;
        const Vector u = random.normals(oracle.u.size()), p = random.normals(oracle.p.size()); // p of both signs: cut off
        const Certificate certificate = certify(problem, u, p);
        BOOST_TEST(problem.V->norm(u - oracle.u) <= certificate.relative_error_bound * certificate.scale);
        BOOST_TEST((certificate.dual_infeasibility > 0.) == (p.minCoeff() < 0.));
      }
}

// For feasible v:  2 gap = |v - u*|² + |u_p - u*|² + 2<b - Bv, p*> + 2<b -
// Bu*, p>. The bound is as sharp as its slack terms.
BOOST_AUTO_TEST_CASE(the_gap_is_the_two_errors_and_the_wrong_contacts)
{
  oracles::Random random(3);
  for (const auto &oracle : repairable_oracles(5))
    {
      const ProjectionProblem &problem = oracle.problem;
      bool                     repaired;
      const Vector             v = feasible_companion(problem, oracle.u + .3 * random.normals(oracle.u.size()), repaired);
      const Vector             p = (oracle.p + .3 * random.normals(oracle.p.size())).cwiseMax(0.);
      const Certificate        certificate = certify(problem, v, p);
      const double             errors =
          std::pow(problem.V->norm(v - oracle.u), 2) + std::pow(problem.V->norm(problem.velocity_of(p) - oracle.u), 2);
      const double wrong_contacts = -2. * excess(problem, v).dot(oracle.p) - 2. * excess(problem, oracle.u).dot(p);
      BOOST_TEST_REQUIRE(repaired);
      BOOST_TEST(2. * certificate.gap * std::pow(certificate.scale, 2) == errors + wrong_contacts,
                 boost::test_tools::tolerance(1e-11)); // rounding of cancelling terms
    }
}

BOOST_AUTO_TEST_CASE(the_answer_is_certified_near_the_round_off_floor)
{
  for (const auto &oracle : repairable_oracles(6))
    BOOST_TEST_CONTEXT(oracle.name)
    {
      const Certificate certificate = certify(oracle.problem, oracle.u, oracle.p);
      BOOST_TEST(certificate.round_off_floor < 1e-6);
      // the oracle's own u violates rows by a few roundings, and the repair opens others by as much
      BOOST_TEST(certificate.relative_error_bound <= 10. * certificate.round_off_floor + 1e-15);
      BOOST_TEST(certificate.natural_residual < 1e-13);
      BOOST_TEST(certificate.momentum < 1e-13);
    }
}

BOOST_AUTO_TEST_CASE(round_off_floor_is_the_stated_formula)
{
  const auto        oracle      = oracles::network_cones(1)[0];
  const Certificate certificate = certify(oracle.problem, oracle.u, oracle.p);
  BOOST_TEST(certificate.round_off_floor == std::sqrt(2. * epsilon * oracle.p.sum() * max_abs(oracle.u)) / certificate.scale,
             boost::test_tools::tolerance(1e-9)); // v is the repaired u
}

BOOST_AUTO_TEST_CASE(repaired_velocities_are_feasible)
{
  oracles::Random random(4);
  for (const auto &oracle : repairable_oracles(7))
    for (const double size : {1e-15, 1e-9, 1e-3, 1e3})
      {
        bool         feasible = false;
        const Vector v = feasible_companion(oracle.problem, oracle.u + size * random.normals(oracle.u.size()), feasible);
        const double row =
            static_cast<const SparseConstraint &>(*oracle.problem.B).matrix().toDense().rowwise().norm().maxCoeff();
        BOOST_TEST(feasible);
        BOOST_TEST(excess(oracle.problem, v).maxCoeff() <= 4. * epsilon * row * max_abs(v)); // rounding of one row
      }
}

BOOST_AUTO_TEST_CASE(feasible_velocities_are_not_repaired)
{
  for (const auto &oracle : repairable_oracles(8))
    {
      bool         feasible = false;
      const Vector u        = oracle.u + oracle.problem.expansion.w;
      BOOST_TEST((feasible_companion(oracle.problem, u, feasible).array() == u.array()).all());
      BOOST_TEST(feasible);
    }
}

// Of two pairs of discs only the pressed one expands, and no more than it must.
BOOST_AUTO_TEST_CASE(only_violated_parts_are_repaired_and_just_enough)
{
  oracles::Network network;
  network.r.resize(1, 4);
  network.r << 0., 1., 5., 6.;
  network.pairs = {{0, 1}, {2, 3}};
  Vector u(4);
  u << .25, -.25, 0., 1.;
  bool         feasible = false;
  const Vector v        = feasible_companion(oracles::network_problem(network, Vector::Ones(4), u), u, feasible);
  BOOST_TEST(feasible);
  BOOST_TEST(v.head(2).lpNorm<Eigen::Infinity>() < 1e-15); // rounding: the two move together at the mean
  BOOST_TEST((v.tail(2).array() == u.tail(2).array()).all());
}

BOOST_AUTO_TEST_CASE(a_violated_row_without_expansion_is_not_guaranteed)
{
  auto oracle              = oracles::network_cones(1)[1];
  oracle.problem.expansion = Expansion();
  oracles::Random random(5);
  const Vector    u = oracle.u + random.normals(oracle.u.size());
  BOOST_TEST(!certify(oracle.problem, u, oracle.p).guaranteed);
  BOOST_TEST(certify(oracle.problem, Vector::Zero(u.size()), oracle.p).guaranteed); // rest is feasible

  // a field that leaves one violated row alone is no help either
  oracle = oracles::network_cones(1)[1];
  oracle.problem.expansion.w.setZero();
  BOOST_TEST(!certify(oracle.problem, u, oracle.p).guaranteed);
}

// The frame moves, all relative numbers stay; walls move with it (b - B mean is what counts).
BOOST_AUTO_TEST_CASE(certificates_do_not_depend_on_the_frame)
{
  oracles::Random random(6);
  const auto      same = boost::test_tools::tolerance(1e-9); // rounding of velocities 10 times larger
  for (auto oracle : oracles::network_cones(2))
    {
      const Vector p      = (oracle.p + .1 * random.normals(oracle.p.size())).cwiseMax(0.);
      const Vector u      = oracle.u + .1 * random.normals(oracle.u.size());
      const Vector frame  = oracle.problem.V->mean(Vector::Constant(u.size(), 10.));
      const auto   before = certify(oracle.problem, u, p);
      oracle.problem.U += frame;
      const auto after = certify(oracle.problem, u + frame, p);
      BOOST_TEST(after.relative_error_bound == before.relative_error_bound, same);
      BOOST_TEST(after.scale == before.scale, same);
      BOOST_TEST(after.primal_infeasibility == before.primal_infeasibility, same);
      BOOST_TEST(after.natural_residual == before.natural_residual, same);
      BOOST_TEST(after.bound_relative_to_u == before.bound_relative_to_u, same);
    }
  const auto   at_rest = row_between_walls(0.), moving = row_between_walls(10.);
  const Vector error = Vector::LinSpaced(5, -.1, .2);
  const auto   rest  = certify(at_rest.problem, at_rest.u + error, at_rest.p),
             fast    = certify(moving.problem, moving.u + error, moving.p);
  BOOST_TEST(rest.guaranteed);
  BOOST_TEST(fast.relative_error_bound == rest.relative_error_bound, same);
  BOOST_TEST(fast.scale == rest.scale, same);
}

BOOST_AUTO_TEST_CASE(certificates_do_not_depend_on_units)
{
  oracles::Random random(7);
  const auto      same = boost::test_tools::tolerance(1e-12); // rounding
  for (const auto &oracle : oracles::affine_oracles(3))
    {
      const Vector p      = (oracle.p + .1 * random.normals(oracle.p.size())).cwiseMax(0.);
      const Vector u      = oracle.u + .1 * random.normals(oracle.u.size());
      const auto   before = certify(oracle.problem, u, p);

      ProjectionProblem scaled = oracle.problem; // velocities in km/s, masses in g
      const auto       &V      = static_cast<const DiagonalSpace &>(*scaled.V);
      scaled.V                 = std::make_shared<DiagonalSpace>(1e3 * V.masses_of_nodes(), V.dimension());
      scaled.U *= 1e-3;
      scaled.b *= 1e-3;
      const auto after = certify(scaled, 1e-3 * u, p); // kg m/s = g km/s

      BOOST_TEST(after.relative_error_bound == before.relative_error_bound, same);
      BOOST_TEST(after.gap == before.gap, same);
      BOOST_TEST(after.natural_residual == before.natural_residual, same);
      BOOST_TEST(after.round_off_floor == before.round_off_floor, same);
    }
}

BOOST_AUTO_TEST_CASE(scale_is_the_spread_of_U_or_the_push_of_the_walls)
{
  const auto oracle = oracles::network_cones(1)[2];
  const auto spread = Vector(oracle.problem.U - oracle.problem.V->mean(oracle.problem.U));
  BOOST_TEST(relative_scale(oracle.problem) == oracle.problem.V->norm(spread), boost::test_tools::tolerance(1e-12));

  ProjectionProblem wall = row_between_walls(0.).problem;
  wall.U.setZero();
  wall.b(4) = -2.; // a wall that hits a row at rest
  BOOST_TEST(relative_scale(wall) == 2. / operator_norm(wall), boost::test_tools::tolerance(1e-12));
  BOOST_TEST(certify(wall, LawsonHanson().project(wall).u, LawsonHanson().project(wall).p).relative_error_bound < 1e-6);
}

BOOST_AUTO_TEST_CASE(rest_is_certified_without_error)
{
  ProjectionProblem problem = oracles::network_cones(1)[1].problem;
  problem.U.setConstant(3.);
  const Certificate certificate = certify(problem, problem.U, Vector::Zero(problem.n_constraints()));
  BOOST_TEST(certificate.scale == 0.);
  BOOST_TEST(certificate.relative_error_bound == 0.);
  BOOST_TEST(certificate.guaranteed);
}

BOOST_AUTO_TEST_CASE(operator_norm_is_the_largest_singular_value)
{
  for (const auto &oracle : oracles::affine_oracles(2))
    BOOST_TEST_CONTEXT(oracle.name)
    {
      const Eigen::MatrixXd B      = static_cast<const SparseConstraint &>(*oracle.problem.B).matrix();
      const Vector          mass   = static_cast<const DiagonalSpace &>(*oracle.problem.V).masses();
      const Eigen::MatrixXd scaled = B * mass.cwiseSqrt().cwiseInverse().asDiagonal();
      const double          norm   = scaled.jacobiSvd().singularValues()(0);
      BOOST_TEST(operator_norm(oracle.problem) >= .98 * norm); // 30 steps of the power method
      BOOST_TEST(operator_norm(oracle.problem) <= 1.05 * norm);
    }
}

BOOST_AUTO_TEST_CASE(what_is_not_a_number_never_converges)
{
  const auto oracle = oracles::network_cones(1)[1];
  for (const double bad : {std::nan(""), std::numeric_limits<double>::infinity()})
    for (const bool in_p : {false, true})
      {
        SaddlePoint x;
        x.u                   = oracle.u;
        x.p                   = oracle.p;
        (in_p ? x.p : x.u)(2) = bad;
        x.status              = Status::converged;
        StoppingCriterion anything;
        anything.tolerance = 1e300;
        for (const bool on_natural_residual : {false, true})
          {
            anything.on_natural_residual = on_natural_residual;
            judge(oracle.problem, anything, x);
            BOOST_TEST(!x.converged());
            BOOST_TEST(!x.certificate.guaranteed);
          }
      }
}

BOOST_AUTO_TEST_CASE(converged_means_that_the_bound_meets_the_tolerance)
{
  const auto        oracle = oracles::network_cones(1)[1];
  StoppingCriterion criterion;
  SaddlePoint       x;
  x.u      = oracle.u + Vector::Constant(oracle.u.size(), 1e-3);
  x.p      = oracle.p;
  x.status = Status::converged; // a solver's own idea does not count
  judge(oracle.problem, criterion, x);
  BOOST_TEST((x.status == Status::stagnated));
  criterion.tolerance = 1.01 * x.certificate.relative_error_bound;
  judge(oracle.problem, criterion, x);
  BOOST_TEST(x.converged());
  // below the floor three times the floor is demanded, at most 1e-4
  Certificate at_floor;
  at_floor.round_off_floor      = 1e-7;
  at_floor.relative_error_bound = 2.9e-7;
  criterion.tolerance           = 1e-12;
  BOOST_TEST(criterion.met_by(at_floor));
  at_floor.relative_error_bound = 3.1e-7;
  BOOST_TEST(!criterion.met_by(at_floor));
  at_floor.round_off_floor = at_floor.relative_error_bound = 1.1e-4;
  BOOST_TEST(!criterion.met_by(at_floor));
}

// Nothing repairs the violated row: the bound leaves it out and may be zero, but the residuals tell.
BOOST_AUTO_TEST_CASE(an_estimate_counts_together_with_the_residuals_only)
{
  // two bodies at rest between walls; the left one comes in and u ignores it
  Vector b(3);
  b << -1., 0., 1.;
  const ProjectionProblem problem = oracles::row_between_walls(Vector::Zero(2), b);
  SaddlePoint             x;
  x.u = Vector::Zero(2);
  x.p = Vector::Zero(3);
  StoppingCriterion criterion;
  judge(problem, criterion, x);
  BOOST_TEST(!x.certificate.guaranteed);
  BOOST_TEST(x.certificate.relative_error_bound < criterion.tolerance); // useless
  BOOST_TEST(x.certificate.primal_infeasibility == 1.);
  BOOST_TEST(!x.converged());

  Certificate estimate;
  criterion.tolerance           = 1e-6;
  estimate.relative_error_bound = 1e-7;
  BOOST_TEST(criterion.met_by(estimate));
  estimate.natural_residual = 2e-6;
  BOOST_TEST(!criterion.met_by(estimate));
  estimate.guaranteed = true; // then the bound says it all
  BOOST_TEST(criterion.met_by(estimate));
  estimate.guaranteed       = false;
  estimate.natural_residual = 0.;
  for (const double bad : {2e-6, std::nan("")})
    {
      estimate.primal_infeasibility = bad;
      BOOST_TEST(!criterion.met_by(estimate));
    }
}

BOOST_AUTO_TEST_CASE(a_proof_of_emptiness_is_nonnegative_in_the_kernel_and_negative_on_b)
{
  const Index n = 4;
  Vector      closing(n + 1);
  closing << -.75, 0., 0., 0., .5; // the left wall is faster
  const Vector chain = Vector::Ones(n + 1);
  for (const double speed : {0., 10., 1e4})
    for (const double unit : {1e-20, 1., 1e20})
      BOOST_TEST_CONTEXT("speed " << speed << ", unit " << unit)
      {
        ProjectionProblem squeezed =
            oracles::row_between_walls(Vector(Vector::LinSpaced(n, 1., -1.).array() + speed), closing);
        squeezed.b(0) -= speed;
        squeezed.b(n) += speed;
        BOOST_TEST(proves_infeasible(squeezed, unit * chain));
        BOOST_TEST(!proves_infeasible(squeezed, -unit * chain));
        BOOST_TEST(!proves_infeasible(squeezed, Vector::Zero(n + 1)));
        BOOST_TEST(!proves_infeasible(squeezed, unit * Vector::Unit(n + 1, 0))); // pushes, but does not block
        BOOST_TEST(!proves_infeasible(squeezed, unit * (chain - 1e-3 * Vector::Unit(n + 1, 2)))); // not in balance
        BOOST_TEST(!proves_infeasible(squeezed, unit * (chain - 1.001 * Vector::Unit(n + 1, 2))));
        BOOST_TEST(!proves_infeasible(squeezed, chain * std::nan("")));
        BOOST_TEST(!proves_infeasible(squeezed, chain.head(n)));

        squeezed.b(n) += .5; // now the right wall gives way
        BOOST_TEST(!proves_infeasible(squeezed, unit * chain));
        squeezed.b(n) -= .25; // exactly as fast as the left one comes
        BOOST_TEST(!proves_infeasible(squeezed, unit * chain));
      }
  const ProjectionProblem cone = oracles::network_cones(1)[0].problem; // holds at least rest
  BOOST_TEST(!proves_infeasible(cone, Vector::Zero(cone.n_constraints())));
  BOOST_TEST(!proves_infeasible(cone, Vector::Ones(cone.n_constraints())));
}

BOOST_AUTO_TEST_CASE(rounding_of_b_proves_nothing)
{
  Vector b(4);
  b << .1, .7, -.8, 0.;
  BOOST_TEST(b.sum() < 0.); // in floating point only
  BOOST_TEST(!proves_infeasible(oracles::row_between_walls(Vector::Zero(3), b), Vector::Ones(4)));
  b(3) = -1e-9; // this is more than rounding
  BOOST_TEST(proves_infeasible(oracles::row_between_walls(Vector::Zero(3), b), Vector::Ones(4)));
}

BOOST_AUTO_TEST_CASE(only_proved_emptiness_is_believed)
{
  Vector b(4);
  b << -1., 0., 0., .5;
  StoppingCriterion criterion;
  SaddlePoint       claim;
  claim.u = Vector::Zero(3);
  for (const bool proved : {true, false})
    {
      claim.p      = proved ? Vector(Vector::Ones(4)) : Vector(Vector::Unit(4, 0));
      claim.status = Status::infeasible;
      judge(oracles::row_between_walls(Vector::Zero(3), b), criterion, claim);
      BOOST_TEST((claim.status == (proved ? Status::infeasible : Status::stagnated)));
    }
  // a wrong claim beside the answer: neither infeasible nor lost
  const auto oracle = oracles::network_cones(1)[1];
  claim.u           = oracle.u;
  claim.p           = oracle.p;
  claim.status      = Status::infeasible;
  judge(oracle.problem, criterion, claim);
  BOOST_TEST((claim.status != Status::infeasible));
}

// |U|² underflows or overflows: nothing is proved, and nothing may look proved.
BOOST_AUTO_TEST_CASE(squares_that_leave_the_range_of_doubles_prove_nothing)
{
  for (const double size : {1e-170, 1e170})
    {
      ProjectionProblem problem;
      problem.V = std::make_shared<DiagonalSpace>(Vector::Ones(2), 1);
      problem.B =
          std::make_shared<PairConstraint>(1, 2, std::vector<PairConstraint::Pair>{{0, 1}}, Eigen::MatrixXd::Ones(1, 1));
      problem.U                     = (Vector(2) << size, -size).finished();
      const Certificate certificate = certify(problem, problem.U, Vector::Zero(1));
      BOOST_TEST(!certificate.guaranteed);
      BOOST_TEST(!StoppingCriterion().met_by(certificate));
    }
}

BOOST_AUTO_TEST_SUITE_END()
