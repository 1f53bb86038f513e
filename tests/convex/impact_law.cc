// SPDX-License-Identifier: GPL-3.0-or-later
#include "convex/impact_law.h"

#include "convex/certificate.h"
#include "convex/input_error.h"
#include "convex/solvers/lawson_hanson.h"
#include "tests/oracles.h"

#include <boost/test/unit_test.hpp>

BOOST_AUTO_TEST_SUITE(impact_law)

using namespace moreau::convex;
using namespace moreau;

namespace
{
/// Touching spheres of unit mass on a line.
ProjectionProblem row(const Vector &U, const Vector &masses)
{
  oracles::Network network;
  network.r = Vector::LinSpaced(U.size(), 0., static_cast<double>(U.size() - 1)).transpose();
  for (int k = 0; k + 1 < U.size(); ++k)
    network.pairs.push_back({k, k + 1});
  return oracles::network_problem(network, masses, U);
}

ProjectionProblem row(const Vector &U) { return row(U, Vector::Ones(U.size())); }

/// One sphere of mass m on a line, left of a wall that moves at `speed`.
ProjectionProblem sphere_before_wall(const double U, const double mass, const double speed)
{
  ProjectionProblem problem;
  problem.V = std::make_shared<DiagonalSpace>(Vector::Constant(1, mass));
  problem.B = std::make_shared<PairConstraint>(1, 1, std::vector<PairConstraint::Pair>{{0, PairConstraint::fixed_body}},
                                               Eigen::MatrixXd::Ones(1, 1));
  problem.U = Vector::Constant(1, U);
  problem.b = Vector::Constant(1, speed);
  return problem;
}

double energy(const ProjectionProblem &problem, const Vector &v) { return problem.V->dot(v, v); }

double fastest_approach(const ProjectionProblem &problem, const Vector &v)
{
  Vector Bv(problem.n_constraints());
  problem.B->apply(v, Bv);
  return (Bv - problem.right_hand_side()).maxCoeff();
}

/// Exact, but reports an error of the given size in u: what a loose tolerance does.
class Imprecise : public ConeProjector
{
public:
  explicit Imprecise(const double error) : error(error) {}

  SaddlePoint project(const ProjectionProblem &problem, const Vector *) const override
  {
    SaddlePoint     x = LawsonHanson().project(problem);
    oracles::Random random(42);
    x.u += error * random.normals(x.u.size()).cwiseMin(1.).cwiseMax(-1.);
    x.certificate = certify(problem, x.u, x.p);
    return x;
  }

private:
  double error;
};

const LawsonHanson exact;
} // namespace

BOOST_AUTO_TEST_CASE(restitution_outside_0_1_is_refused)
{
  for (const double e : {-.1, 1.1, std::nan("")})
    BOOST_CHECK_EXCEPTION(post_impact(row(Vector::Ones(2)), exact, e), InputError,
                          [](const InputError &error) { return error.subject == "the restitution"; });
}

BOOST_AUTO_TEST_CASE(a_velocity_that_is_not_finite_is_refused)
{
  for (const double bad : {std::nan(""), std::numeric_limits<double>::infinity()})
    {
      Vector U = Vector::Ones(3);
      U(1)     = bad;
      BOOST_CHECK_EXCEPTION(post_impact(row(U), exact, 0.), InputError, [](const InputError &error) {
        return error.subject == "the velocity" && error.sentence.find("Entry 1 ") != std::string::npos;
      });
    }
}

BOOST_AUTO_TEST_CASE(an_admissible_velocity_passes_unchanged)
{
  const Vector U      = Vector::LinSpaced(4, -1., 2.);
  const Impact impact = post_impact(row(U), exact, .7);
  BOOST_TEST((impact.u_plus.array() == U.array()).all());
  BOOST_TEST(impact.effort.n_projections == 0u);
  BOOST_TEST(max_abs(impact.impulse) == 0.);
  BOOST_TEST(impact.projection.converged());
  BOOST_TEST(impact.worst.relative_error_bound == 0.);
}

// |u⁺|² = |P_C U|² + e²|P_N U|²; for e = 0 and e = 1 the two extremes.
BOOST_AUTO_TEST_CASE(energy_is_that_of_the_two_projections)
{
  oracles::Random random(4);
  unsigned int    single = 0;
  for (const double e : {0., .3, 1.})
    for (unsigned int seed = 1; seed <= 5; ++seed)
      {
        const oracles::Network  network = oracles::random_network(2, 8, 12, seed);
        const ProjectionProblem problem =
            oracles::network_problem(network, oracles::masses(random, 8, 1.), random.normals(16));
        const Impact  impact = post_impact(problem, exact, e);
        const Vector &u      = impact.projection.u;
        BOOST_TEST(energy(problem, impact.u_plus) <= energy(problem, problem.U) * (1. + 1e-13)); // rounding
        BOOST_TEST(fastest_approach(problem, impact.u_plus) < 1e-5); // twice the default tolerance and more
        if (impact.effort.n_projections == 1)
          {
            ++single;
            BOOST_TEST(energy(problem, impact.u_plus) == energy(problem, u) + e * e * energy(problem, problem.U - u),
                       boost::test_tools::tolerance(1e-12)); // rounding
          }
      }
  BOOST_TEST(single >= 5u); // e = 0 always
}

// Without walls every application conserves momentum, and the impulse accounts for the change of every sphere.
BOOST_AUTO_TEST_CASE(impulses_of_all_applications_add_up)
{
  oracles::Random random(8);
  Vector          U = random.normals(12), m = oracles::masses(random, 12, 2.);
  const auto      problem = row(U, m);
  const Impact    impact  = post_impact(problem, exact, .8);
  Vector          Bt_impulse(12);
  problem.B->apply_transpose(impact.impulse, Bt_impulse);
  BOOST_TEST(max_abs(m.cwiseProduct(U - impact.u_plus) - Bt_impulse) < 1e-12 * max_abs(m.cwiseProduct(U))); // rounding
  BOOST_TEST(m.dot(U) == m.dot(impact.u_plus), boost::test_tools::tolerance(1e-12));
  BOOST_TEST(impact.impulse.minCoeff() >= 0.);
}

// Contact 2-3 is pressed although U separates it: it approaches after the first impact (solvers' example with e = 1).
BOOST_AUTO_TEST_CASE(an_impact_that_leaves_the_cone_is_repeated)
{
  Vector U(4), expected(4);
  U << 1., 0., .3, -1.3;
  expected << -1., -.3, 0., 1.3;
  const Impact impact = post_impact(row(U), exact, 1.);
  BOOST_TEST(impact.effort.n_projections == 2u);
  BOOST_TEST(!impact.effort.collapsed);
  BOOST_TEST(max_abs(impact.u_plus - expected) < 1e-14); // rounding
}

BOOST_AUTO_TEST_CASE(the_cap_ends_in_an_inelastic_projection)
{
  Vector U(4);
  U << 1., 0., .3, -1.3;
  const Impact impact = post_impact(row(U), exact, 1., 1);
  BOOST_TEST(impact.effort.collapsed);
  BOOST_TEST(impact.effort.n_projections == 2u);
  BOOST_TEST(fastest_approach(row(U), impact.u_plus) < 1e-14);                        // rounding
  BOOST_TEST(std::abs(U.squaredNorm() - impact.u_plus.squaredNorm() - .045) < 1e-14); // two spheres met at 0.3
  BOOST_TEST(std::abs(impact.u_plus.sum() - U.sum()) < 1e-14);                        // momentum was not
}

// Between two walls that it touches a sphere would be thrown to and fro for ever.
BOOST_AUTO_TEST_CASE(an_impact_that_comes_back_to_where_it_was_is_ended_at_once)
{
  SparseConstraint::Matrix B(2, 1);
  B.insert(0, 0) = 1.;
  B.insert(1, 0) = -1.;
  ProjectionProblem problem;
  problem.V           = std::make_shared<DiagonalSpace>(Vector::Ones(1));
  problem.B           = std::make_shared<SparseConstraint>(B);
  problem.U           = Vector::Constant(1, .7);
  const Impact impact = post_impact(problem, exact, 1., 1000);
  BOOST_TEST(impact.effort.collapsed);
  BOOST_TEST(impact.effort.n_projections == 3u);
  BOOST_TEST(std::abs(impact.u_plus(0)) < 1e-14); // rounding
}

BOOST_AUTO_TEST_CASE(a_single_impact_without_repetitions_is_the_law_as_printed_and_says_that_it_leaves_the_cone)
{
  Vector U(4), expected(4);
  U << 1., 0., .3, -1.3;
  expected << -1., 0., -.3, 1.3;
  const Impact once = single_impact(row(U), exact, {1., 1});
  BOOST_TEST(once.effort.n_projections == 1u);
  BOOST_TEST(!once.effort.collapsed);
  BOOST_TEST(max_abs(once.u_plus - expected) < 1e-14); // rounding
  BOOST_TEST(std::abs(once.approach - fastest_approach(row(U), expected)) < 1e-14);
  BOOST_TEST(std::abs(impact_factor(row(U), once.projection.u, once.u_plus) - 2.) < 1e-14);

  const Impact twice = single_impact(row(U), exact, {1., 2}); // as post_impact()
  BOOST_TEST(twice.effort.n_projections == 2u);
  BOOST_TEST(twice.approach == 0.);
  U << 1., 0., 0., -1.; // stays in the cone
  BOOST_TEST(single_impact(row(U), exact, {1., 1}).approach == 0.);
}

// u⁺ - V = -e(U - V): the wall's velocity is a change of frame.
BOOST_AUTO_TEST_CASE(a_moving_wall_reflects_the_relative_velocity)
{
  for (const double e : {0., .5, 1.})
    for (const double V : {-2., 0., .25})
      {
        const double U      = 1.;
        const Impact impact = post_impact(sphere_before_wall(U, 3., V), exact, e);
        BOOST_TEST(std::abs(impact.u_plus(0) - (V - e * (U - V))) < 1e-14); // rounding
        BOOST_TEST(std::abs(impact.impulse(0) - 3. * (1. + e) * (U - V)) < 1e-13);
        BOOST_TEST(impact.effort.n_projections == 1u);
      }
  BOOST_TEST(post_impact(sphere_before_wall(1., 3., 2.), exact, 1.).effort.n_projections == 0u); // the wall runs away
}

// The noise of a loose projection is below what counts as an approach: as many impacts as in exact arithmetic.
BOOST_AUTO_TEST_CASE(solver_noise_causes_no_impacts)
{
  Vector U(5);
  U << 1., 0., 0., 0., 0.;
  for (const double error : {1e-12, 1e-9, 1e-6, 1e-4})
    for (const double e : {0., .5, 1.})
      {
        const Impact impact = post_impact(row(U), Imprecise(error), e);
        BOOST_TEST(impact.effort.n_projections == 1u);
        BOOST_TEST(max_abs(impact.u_plus - post_impact(row(U), exact, e).u_plus) <= 2. * error + 1e-14);
      }
}

BOOST_AUTO_TEST_CASE(many_random_rows_end_admissible)
{
  oracles::Random random(21);
  for (int trial = 0; trial < 200; ++trial)
    {
      const double e       = random.uniform();
      const Vector U       = random.normals(10);
      const Impact impact  = post_impact(row(U), exact, e);
      const double allowed = 1e-5 * max_abs(U); // a few times the exact solver's bound, itself at most twice the floor
      BOOST_TEST(fastest_approach(row(U), impact.u_plus) <= allowed);
      BOOST_TEST(impact.worst.guaranteed);
      BOOST_TEST(impact.worst.relative_error_bound >= impact.projection.certificate.relative_error_bound);
    }
}

// Two walls that close in on one sphere: no velocity is admissible.
BOOST_AUTO_TEST_CASE(the_factor_of_one_application_is_1_plus_e)
{
  const ProjectionProblem problem = row(Eigen::Vector3d(1., 0., -2.), Eigen::Vector3d(1., 2., 3.));
  const Vector            u       = exact.project(problem).u;
  for (const double e : {0., .3, 1.})
    BOOST_TEST(std::abs(impact_factor(problem, u, problem.U - (1. + e) * (problem.U - u)) - (1. + e)) <= 1e-14);
  BOOST_TEST(impact_factor(problem, u, Eigen::Vector3d(1., 2., 3.)) == 0.); // no application of the law
}

BOOST_AUTO_TEST_CASE(an_empty_set_is_reported_and_leaves_the_velocity)
{
  ProjectionProblem problem;
  Eigen::MatrixXd   e(1, 2);
  e << 1., -1.;
  const int wall = PairConstraint::fixed_body;
  problem.V      = std::make_shared<DiagonalSpace>(Vector::Ones(1));
  problem.B      = std::make_shared<PairConstraint>(1, 1, std::vector<PairConstraint::Pair>{{0, wall}, {0, wall}}, e);
  problem.U      = Vector::Constant(1, .1);
  problem.b      = Vector::Constant(2, -1.);

  const Impact impact = post_impact(problem, exact, .5);

  BOOST_TEST((impact.effort.status == Status::infeasible));
  BOOST_TEST(impact.u_plus(0) == .1);
  BOOST_TEST(impact.projection.p.minCoeff() == 1.); // both walls are named
}

// The pressed contact approaches with .3 after the first impact (as above): below the resting speed it comes to rest.
BOOST_AUTO_TEST_CASE(what_approaches_no_faster_than_the_resting_speed_comes_to_rest)
{
  Vector U(4), rebound(4), rest(4);
  U << 1., 0., .3, -1.3;
  rebound << -1., -.3, 0., 1.3;
  rest << -1., -.15, -.15, 1.3;
  for (const double resting : {.29, .31})
    {
      const Impact impact = post_impact(row(U), exact, 1., 1000, nullptr, {resting, 0.});
      BOOST_TEST(impact.effort.n_projections == 2);
      BOOST_TEST(impact.n_rebounds == (resting < .3 ? 2 : 1));
      BOOST_TEST(!impact.effort.collapsed);
      BOOST_TEST(max_abs(impact.u_plus - (resting < .3 ? rebound : rest)) < 1e-14); // rounding
    }
  const Impact slow = post_impact(row(U), exact, 1., 1000, nullptr, {2., 0.});
  BOOST_TEST(slow.n_rebounds == 0);
  BOOST_TEST(max_abs(slow.u_plus - exact.project(row(U)).u) < 1e-14);
}

// ... and what is negligible stays: the contact goes on approaching.
BOOST_AUTO_TEST_CASE(negligible_approaches_are_left)
{
  Vector U(4);
  U << 1., 0., .3, -1.3;
  const Impact impact = post_impact(row(U), exact, 1., 1000, nullptr, {.01, .31});
  BOOST_TEST(impact.effort.n_projections == 1);
  BOOST_TEST(fastest_approach(row(U), impact.u_plus) == .3, boost::test_tools::tolerance(1e-13));
  BOOST_TEST(post_impact(row(U), exact, 1., 1000, nullptr, {.01, 2.}).effort.n_projections == 0);
}

// With a resting speed it does not depend on what a projector says of itself which approaches are impacts.
BOOST_AUTO_TEST_CASE(the_resting_speed_decides_in_place_of_certificates)
{
  Vector U(4);
  U << 1., 0., .3, -1.3;
  BOOST_TEST(post_impact(row(U), Imprecise(.2), 1.).effort.n_projections == 1);
  BOOST_TEST(post_impact(row(U), Imprecise(.2), 1., 1000, nullptr, {1e-3, 1e-6}).effort.n_projections > 1);
}

// A pack that flies into a wall as a whole: the spread of its velocities, rounding or nothing, says nothing about errors.
BOOST_AUTO_TEST_CASE(noise_causes_no_impacts_of_a_uniform_pack_either)
{
  for (const double spread : {0., 1e-16, 1e-12})
    for (const double error : {1e-9, 1e-6})
      {
        ProjectionProblem problem = oracles::row_between_walls(Vector::Constant(5, 1.), Vector::Zero(6));
        problem.b(0)              = 1e3; // only the right wall is near
        problem.U(2) += spread;
        const Impact impact = post_impact(problem, Imprecise(error), 1.);
        BOOST_TEST(impact.effort.n_projections == 1u);
        BOOST_TEST(max_abs(impact.u_plus + Vector::Ones(5)) <= 2. * error + 1e-11);
      }
}

// Else the others would wait for it for ever.
BOOST_AUTO_TEST_CASE(what_is_not_finite_on_another_process_is_refused_here_too)
{
  class OneOfTwo : public DiagonalSpace
  {
  public:
    using DiagonalSpace::DiagonalSpace;
    double max_over_processes(const double local) const override
    {
      return std::max(local, 1.);
    } // the other one says: it is not
  };
  ProjectionProblem problem = row(Vector::Ones(2));
  problem.V                 = std::make_shared<OneOfTwo>(Vector::Ones(2));
  BOOST_CHECK_EXCEPTION(post_impact(problem, exact, 0.), InputError, [](const InputError &error) {
    return error.subject == "the velocity" && std::string(error.what()).find("another process") != std::string::npos;
  });
}

BOOST_AUTO_TEST_SUITE_END()
