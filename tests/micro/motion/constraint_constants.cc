// SPDX-License-Identifier: GPL-3.0-or-later
#include "micro/motion/constraint_constants.h"

#include "micro/motion/mechanical_motion.h"
#include "tests/micro/motion/systems.h"

#include <boost/test/unit_test.hpp>

#include <cmath>

BOOST_AUTO_TEST_SUITE(constraint_constants)

using namespace moreau;
using namespace moreau::micro;
namespace utf = boost::unit_test;
namespace tt  = boost::test_tools;

namespace
{
ConstraintConstants met(const System &system, const Scheme scheme, const double e, const double T, const int n)
{
  ConstraintConstants constants;
  const auto          motion = make_motion(system, parameters(scheme, e));
  advance(*motion, T, n, [&] { constants.see(active_constraints(*system, *motion)); });
  return constants;
}
} // namespace

// The hole has the radius .3, and a mass of 4 doubles all lengths.
BOOST_AUTO_TEST_CASE(ring_is_prox_regular_with_the_radius_of_its_hole)
{
  for (const double mass : {1., 4.})
    {
      const auto ring = met(built_in("disc with a hole", {{"gravity", 1.}, {"mass", mass}}), C, .5, 4., 4000);
      BOOST_TEST(ring.n_states() > 0);
      BOOST_TEST(ring.prox_regularity() == .3 * std::sqrt(mass),
                 tt::tolerance(.02)); // where it is touched from inside, below .3
      BOOST_TEST(ring.alpha() == 1. / std::sqrt(mass), tt::tolerance(1e-9));
      BOOST_TEST(ring.gamma() == 1., tt::tolerance(1e-9));
      BOOST_TEST(ring.speed_of_set() == 0.);
    }
  const auto inside = met(built_in("moving disc", {{"uy", .3}, {"x", .8}}), C, 0., 1., 1000); // a disc is convex, and moves
  BOOST_TEST(std::isinf(inside.prox_regularity()));
  BOOST_TEST(inside.speed_of_set() > 1.); // amplitude 1/2, once a second: π at most
  BOOST_TEST(inside.speed_of_set() < M_PI + 1e-6);
  BOOST_TEST(inside.curvature() == 1., tt::tolerance(.02));
}

BOOST_AUTO_TEST_CASE(state_is_taken_up_again)
{
  const System        system = built_in("disc with a hole", {{"gravity", 1.}});
  ConstraintConstants again;
  const auto          constants = met(system, C, .5, 2., 500);
  again.restore(constants.state());
  BOOST_TEST(again.n_states() == constants.n_states());
  BOOST_TEST(again.prox_regularity() == constants.prox_regularity());
  BOOST_TEST(again.multiplier_bound() == constants.multiplier_bound());
  BOOST_CHECK_THROW(again.restore(Vector::Zero(3)), std::invalid_argument);
  const ConstraintConstants none = met(built_in("ball on a floor", {{"height", 5.}}), A, 0., .1, 10); // far from the floor
  BOOST_TEST(none.n_states() == 0);
}

// Constant mass and force: θ(t) = |u_0| + g t to the end, at most √α = 1.
BOOST_AUTO_TEST_CASE(apriori_bound_of_a_falling_ball_is_its_speed, *utf::tolerance(1e-12))
{
  const AprioriBound bound = apriori_bound(*built_in("ball on a floor", {{"gravity", 3.}, {"velocity", -.5}}), 7.);
  BOOST_TEST(bound.C_f == 3.);
  BOOST_TEST(bound.L == 0.);
  BOOST_TEST(bound.tau == 1.);
  BOOST_TEST(bound.theta(.5) == 2.);
  BOOST_TEST(bound.R >= 3.5);
}

BOOST_AUTO_TEST_CASE(no_apriori_bound_where_constraints_move)
{
  BOOST_TEST(apriori_bound(*built_in("moving disc", {{"uy", .3}}), 1.).tau == 0.);
  BOOST_TEST(apriori_bound(*built_in("disc with a hole"), 1.).tau > 0.);
}

// What scheme C must not exceed (DMP, Lemma 1), whatever the step; θ is a solution of its equation.
BOOST_AUTO_TEST_CASE(double_pendulum_stays_below_its_apriori_bound)
{
  const System       system = built_in("double pendulum with a wall", {{"velocity1", 1.}});
  const AprioriBound bound  = apriori_bound(*system, 2.);
  BOOST_TEST(bound.tau > .01);
  BOOST_TEST(bound.L > 0.);
  const double k1 = bound.L / bound.alpha, k2 = bound.C_f / std::sqrt(bound.alpha), t = .5 * bound.tau, h = 1e-6;
  BOOST_TEST((bound.theta(t + h) - bound.theta(t - h)) / (2. * h) == k1 * std::pow(bound.theta(t), 2) + k2,
             tt::tolerance(1e-6));
  BOOST_TEST(bound.theta(0.) == bound.speed, tt::tolerance(1e-12));
  BOOST_TEST(bound.theta(bound.tau) <= bound.R * (1. + 1e-12));
  for (const int n : {4, 400})
    {
      const auto motion = make_motion(system, parameters(C, 1.));
      advance(*motion, bound.tau, n, [&] {
        BOOST_TEST(std::sqrt(2. * motion->record().kinetic_energy) <= bound.theta(motion->time()) * (1. + 1e-9));
      });
    }
}

// A ball that falls and bounces once: the variation is what gravity adds and the jump.
BOOST_AUTO_TEST_CASE(variation_of_the_velocity_is_that_of_gravity_and_the_jump)
{
  const auto ball =
      make_motion(built_in("ball on a floor", {{"gravity", 2.}, {"height", 1.}, {"mass", 4.}}), parameters(A, .5));
  double variation = 0.; // falls for 1 s to -2 m/s, rises with 1 m/s; seen until 1.25 s
  advance(*ball, 1.25, 1250, [&] { variation += ball->record().velocity_change; });
  BOOST_TEST(variation == 2. * (2. + 3. + .5), tt::tolerance(2e-3)); // √mass = 2; order one
}

BOOST_AUTO_TEST_SUITE_END()
