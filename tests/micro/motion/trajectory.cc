// SPDX-License-Identifier: GPL-3.0-or-later
#include "micro/motion/trajectory.h"

#include <boost/test/unit_test.hpp>

#include <array>
#include <cmath>
#include <stdexcept>

BOOST_AUTO_TEST_SUITE(trajectory, *boost::unit_test::tolerance(1e-13)) // rounding of sums of a few terms

using namespace moreau::micro;
namespace utf = boost::unit_test;

namespace
{
Vector vector(std::initializer_list<double> values)
{
  return Eigen::Map<const Vector>(values.begin(), static_cast<Index>(values.size()));
}

/// One coordinate that goes through these points.
Trajectory polyline(std::initializer_list<std::array<double, 3>> t_q_impulse)
{
  Trajectory result((*t_q_impulse.begin())[0], vector({(*t_q_impulse.begin())[1]}));
  for (const auto &[t, q, impulse] : t_q_impulse)
    result.record(t, vector({q}), vector({impulse}));
  return result;
}

constexpr double gravity = 10., height = 1.;

/// A point of mass 2 over a floor at 0, by scheme A written out by hand.
class Ball : public Motion
{
public:
  explicit Ball(const double restitution) : restitution(restitution) {}

  void advance(const double t_next) override
  {
    const double h = t_next - t, U = velocity(0) - h * gravity, projected = std::max(U, -position(0) / h);
    position(0) += h * projected;
    const bool rests = std::abs(U) <= 2. * h * gravity;
    velocity(0)      = projected > U ? -(rests ? 0. : restitution) * U : U;
    last(0)          = 2. * (velocity(0) - U);
    t                = t_next;
  }

  double            time() const override { return t; }
  const Vector     &q() const override { return position; }
  const Vector     &u() const override { return velocity; }
  const StepRecord &record() const override { return nothing; }
  Vector            impulse() const override { return last; }
  MotionState       state() const override { return {}; }
  void              restore(const MotionState &) override {}

private:
  double     restitution, t = 0.;
  Vector     position = vector({height}), velocity = vector({0.}), last = vector({0.});
  StepRecord nothing;
};

Trajectory ball_trajectory(const double restitution, const double T, const int n_steps)
{
  Ball       ball(restitution);
  Trajectory result(ball);
  result.reserve(n_steps);
  for (int k = 1; k <= n_steps; ++k)
    {
      ball.advance(T * k / n_steps);
      result.record(ball);
    }
  return result;
}

const double fall = std::sqrt(2. * height / gravity);

/// The exact motion until the second impact.
ExactTrajectory::State ball_arc(const double restitution, const double t)
{
  const double v = gravity * fall, s = t - fall;
  if (t < fall)
    return {vector({height - gravity * t * t / 2.}), vector({-gravity * t}), vector({0.})};
  return {vector({restitution * v * s - gravity * s * s / 2.}), vector({restitution * v - gravity * s}),
          vector({2. * (1. + restitution) * v})};
}
} // namespace

BOOST_AUTO_TEST_CASE(position_is_linear_velocity_its_slope_and_impulses_stand_at_the_ends)
{
  const Trajectory motion = polyline({{0., 1., 0.}, {.5, 2., 3.}, {1.5, 1., 4.}});
  BOOST_TEST(motion.n_steps() == 2);
  BOOST_TEST(motion.end_time() == 1.5);
  BOOST_TEST(motion.q(.25)(0) == 1.5);
  BOOST_TEST(motion.q(1.)(0) == 1.5);
  BOOST_TEST(motion.q(1.5)(0) == 1.);
  BOOST_TEST(motion.u(.49)(0) == 2.);
  BOOST_TEST(motion.u(.5)(0) == -1.); // right-continuous
  BOOST_TEST(motion.u(1.5)(0) == -1.);
  BOOST_TEST(motion.cumulated_impulse(.49)(0) == 0.);
  BOOST_TEST(motion.cumulated_impulse(.5)(0) == 3.);
  BOOST_TEST(motion.cumulated_impulse(1.5)(0) == 7.);
}

// Differences at 0, .3, .5, 1: 0, .4, 2/7, 0; of velocities 4/3, 24/7, 4/7; of impulses 0, 2, 1.
BOOST_AUTO_TEST_CASE(distance_is_exact_for_steps_of_any_length)
{
  const Trajectory      a = polyline({{0., 0., 0.}, {.5, 1., 1.}, {1., 0., 0.}});
  const Trajectory      b = polyline({{0., 0., 0.}, {.3, 1., 2.}, {1., 0., 0.}});
  const TrajectoryError d = error(a, b), reversed = error(b, a);
  BOOST_TEST(d.q == .4);
  BOOST_TEST(d.u == .3 * 4. / 3. + .2 * 24. / 7. + .5 * 4. / 7.);
  BOOST_TEST(d.impulse == .2 * 2. + .5 * 1.);
  BOOST_TEST(reversed.q == d.q);
  BOOST_TEST(reversed.u == d.u);
  BOOST_TEST(reversed.impulse == d.impulse);
  BOOST_TEST(error(a, a).q == 0.);
  BOOST_TEST(error(a, a).u == 0.);
  BOOST_TEST(error(a, a).impulse == 0.);
}

BOOST_AUTO_TEST_CASE(distance_is_the_mean_over_the_masses)
{
  Trajectory a(0., vector({0., 0.})), b(0., vector({0., 0.}));
  a.record(2., vector({4., 0.}), vector({0., 0.}));
  b.record(1., vector({0., 1.}), vector({6., 0.}));
  b.record(2., vector({0., 2.}), vector({0., 0.}));
  const TrajectoryError weighted = error(a, b, vector({3., 1.})), plain = error(a, b);
  BOOST_TEST(weighted.q == std::sqrt((3. * 16. + 4.) / 4.));
  BOOST_TEST(weighted.u == std::sqrt((3. * 4. + 1.) / 4.));
  BOOST_TEST(weighted.impulse == .5 * std::sqrt(36. / 3. / 4.));
  BOOST_TEST(plain.q == std::sqrt((16. + 4.) / 2.));
  BOOST_TEST(plain.impulse == .5 * std::sqrt(36. / 2.));
}

BOOST_AUTO_TEST_CASE(impulses_of_one_instant_add_up)
{
  const Trajectory motion = polyline({{0., 0., 1.}, {0., 0., 1.}, {1., 2., 1.}, {1., 2., 2.}});
  BOOST_TEST(motion.n_steps() == 1);
  BOOST_TEST(motion.cumulated_impulse(0.)(0) == 2.);
  BOOST_TEST(motion.cumulated_impulse(1.)(0) == 5.);
}

BOOST_AUTO_TEST_CASE(a_period_is_no_jump)
{
  Trajectory around(0., vector({.9, .9})), straight(0., vector({.9, .9}));
  around.record(1., vector({.1, .1}), vector({0., 0.}), vector({1., 0.}));
  around.record(2., vector({.3, .1}), vector({0., 0.}), vector({1., 0.}));
  straight.record(2., vector({1.3, .1}), vector({0., 0.}));
  BOOST_TEST(around.q(2.)(0) == 1.3);
  BOOST_TEST(around.q(2.)(1) == .1);
  BOOST_TEST(around.u(.5)(0) == .2);
}

// u = t against 1/2 up to the jump to -1 at 0.37, which lies inside the only step: ∫|u - slope|, slope 1/4, and q = ∫u.
BOOST_AUTO_TEST_CASE(jumps_of_a_formula_are_found_or_given)
{
  const double          jump = .37, u_before = 1., u_after = -1.;
  ExactTrajectory       exact  = {[&](const double t) -> ExactTrajectory::State {
                             return {vector({t < jump ? u_before * t : u_before * jump + u_after * (t - jump)}),
                                     vector({t < jump ? u_before : u_after}), vector({t < jump ? 0. : 5.})};
                           },
                                  {}};
  const Trajectory      motion = polyline({{0., 0., 0.}, {1., 0., 0.}});
  const TrajectoryError found  = error(motion, exact);
  exact.kinks                  = {jump};
  const TrajectoryError given  = error(motion, exact);
  BOOST_TEST(given.u == 1.);
  BOOST_TEST(given.impulse == (1. - jump) * 5.);
  BOOST_TEST(given.q == jump);
  BOOST_TEST(std::abs(found.impulse - given.impulse) < 1e-3 * given.impulse);
}

BOOST_AUTO_TEST_CASE(an_unknown_impulse_leaves_the_rest_known)
{
  const ExactTrajectory exact = {[](const double t) -> ExactTrajectory::State {
                                   return {vector({t}), vector({1.}), {}};
                                 },
                                 {}};
  const TrajectoryError d     = error(polyline({{0., 0., 0.}, {1., 0., 0.}}), exact);
  BOOST_TEST(d.q == 1.);
  BOOST_TEST(d.u == 1.);
  BOOST_TEST(std::isnan(d.impulse));
}

BOOST_AUTO_TEST_CASE(what_is_not_a_number_is_not_near)
{
  const double     nan    = std::nan("");
  const Trajectory motion = polyline({{0., 0., 0.}, {1., 0., 0.}, {2., 0., 0.}, {3., 0., 0.}});
  const Trajectory broken = polyline({{0., 0., 0.}, {1., nan, 0.}, {2., 0., 0.}, {3., 0., 0.}});
  BOOST_TEST(std::isnan(error(motion, broken).q));
  BOOST_TEST(std::isnan(error(motion, broken).u));
  const ExactTrajectory gap = {[&](const double t) -> ExactTrajectory::State {
                                 return {vector({t == 1. ? nan : 0.}), vector({0.}), vector({0.})};
                               },
                               {}};
  BOOST_TEST(std::isnan(error(motion, gap).q));
}

// Two arcs and one impact; T is before the second impact for both e.
BOOST_AUTO_TEST_CASE(scheme_A_is_of_order_one_in_every_norm)
{
  for (const double e : {0., .5, 1.})
    {
      const double          T      = e == 0. ? .9 * fall : 1.4 * fall;
      const ExactTrajectory exact  = {[&](const double t) { return ball_arc(e, t); }, {}};
      const TrajectoryError coarse = error(ball_trajectory(e, T, 1000), exact),
                            fine   = error(ball_trajectory(e, T, 16000), exact);
      // the place of an impact within its step moves errors between one and two times their mean
      for (const auto &[a, b] : {std::pair(coarse.q, fine.q), {coarse.u, fine.u}})
        BOOST_TEST(std::abs(std::log2(a / b) / 4. - 1.) < .25, "order " << std::log2(a / b) / 4. << " for e = " << e);
    }
}

BOOST_AUTO_TEST_CASE(a_finer_motion_replaces_the_formula)
{
  const double          T        = 1.4 * fall;
  const Trajectory      coarse   = ball_trajectory(.5, T, 500);
  const TrajectoryError to_exact = error(coarse, {[&](const double t) { return ball_arc(.5, t); }, {}});
  const TrajectoryError to_fine  = error(coarse, ball_trajectory(.5, T, 64000));
  // a finer motion has 1/128 of the error, more where the impact is late in its step
  BOOST_TEST(std::abs(to_exact.q - to_fine.q) < .03 * to_exact.q);
  BOOST_TEST(std::abs(to_exact.u - to_fine.u) < .03 * to_exact.u);
  BOOST_TEST(std::abs(to_exact.impulse - to_fine.impulse) < .03 * to_exact.impulse);
}

BOOST_AUTO_TEST_CASE(what_does_not_belong_together_is_refused)
{
  Trajectory       motion = polyline({{0., 0., 0.}, {1., 0., 0.}});
  const Trajectory longer = polyline({{0., 0., 0.}, {2., 0., 0.}});
  BOOST_CHECK_THROW(error(motion, longer), std::invalid_argument);
  BOOST_CHECK_THROW(error(motion, motion, vector({1., 1.})), std::invalid_argument);
  BOOST_CHECK_THROW(motion.record(.5, vector({0.}), vector({0.})), std::invalid_argument);
  BOOST_CHECK_THROW(motion.record(2., vector({0., 0.}), vector({0.})), std::invalid_argument);
  BOOST_CHECK_THROW(motion.record(std::nan(""), vector({0.}), vector({0.})), std::invalid_argument);
}

BOOST_AUTO_TEST_SUITE_END()
