// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/line/soft_congestion.h"

#include <boost/test/unit_test.hpp>

#include <cmath>

BOOST_AUTO_TEST_SUITE(soft_congestion)

using namespace moreau::macro;

namespace
{
/// Two bodies of density 1/(1 + slack) that touch at x = 0 and run into each other with ±1: masses `left` and 1.
Parcels two_bodies(const double slack, const int n_per_unit, const double left = 1.)
{
  const double room = 1. + slack;
  return parcels({{-room * left, 0., room}, {1. / room, 1. / room}, {1., -1.}}, 1. / n_per_unit);
}

/// How fast the two part, in their mean, over how fast they met.
double effective_restitution(const double epsilon, const double slack, const int n_per_unit, const double left = 1.)
{
  SoftCongestion flow(two_bodies(slack, n_per_unit, left), {epsilon, 0., {}});
  flow.advance(10.);
  const auto bodies = body_motions(flow.parcels(), {0., left, 1. + left});
  return .5 * (bodies[1].u - bodies[0].u);
}

double energy(const SoftCongestion &flow)
{
  double sum = flow.elastic_energy();
  for (const BodyMotion &body : body_motions(flow.parcels(), {0., flow.parcels().m.back()}))
    sum += body.granular + .5 * body.mass * body.u * body.u;
  return sum;
}

double momentum(const SoftCongestion &flow)
{
  double         sum   = 0.;
  const Parcels &moved = flow.parcels();
  for (std::size_t k = 0; k < moved.u.size(); ++k)
    sum += moved.u[k] * (moved.m[k + 1] - moved.m[k]);
  return sum;
}
} // namespace

// Numbers of a program of its own in Python, which two other fluxes and four times as many parcels confirm to 1 %.
BOOST_AUTO_TEST_CASE(what_comes_back_falls_like_the_fourth_root_of_epsilon)
{
  BOOST_TEST(effective_restitution(1e-3, .1, 100) == .3468, boost::test_tools::tolerance(.01));
  BOOST_TEST(effective_restitution(1e-4, .1, 100) == .2004, boost::test_tools::tolerance(.01));
  const double hard = effective_restitution(1e-5, .1, 100);
  BOOST_TEST(hard == .1145, boost::test_tools::tolerance(.01));
  BOOST_TEST(std::log10(effective_restitution(1e-4, .1, 100) / hard) == .25, boost::test_tools::tolerance(.05));
}

BOOST_AUTO_TEST_CASE(it_depends_on_epsilon_over_the_slack_alone)
{
  BOOST_TEST(effective_restitution(1e-4, .1, 50) == effective_restitution(2e-4, .2, 50), boost::test_tools::tolerance(.01));
}

BOOST_AUTO_TEST_CASE(a_wall_is_a_mirror)
{
  SoftCongestion two(two_bodies(.1, 40), {1e-4, 0., {}});
  Parcels        right = parcels({{0., 1.1}, {1. / 1.1}, {-1.}}, 1. / 40);
  SoftCongestion one(right, {1e-4, 0., {0.}});
  for (double t = .1; t < 2.; t += .1)
    {
      two.advance(t);
      one.advance(t);
      const std::size_t n = right.u.size();
      for (std::size_t k = 0; k < n; ++k)
        BOOST_TEST(std::abs(one.parcels().u[k] - two.parcels().u[n + k]) <= 1e-9);
      BOOST_TEST(std::abs(one.wall_impulse() - (momentum(one) + 1.)) <= 1e-12);
    }
}

BOOST_AUTO_TEST_CASE(momentum_is_kept_and_energy_falls)
{
  SoftCongestion flow(two_bodies(.1, 40, 2.), {1e-3, 0., {}});
  double         before = energy(flow);
  for (double t = .01; t < 1.; t += .01)
    {
      flow.advance(t);
      BOOST_TEST(std::abs(momentum(flow) - 1.) <= 1e-12);
      BOOST_TEST(energy(flow) <= before * (1. + 1e-12));
      before = energy(flow);
    }
  BOOST_TEST(before < 1.4); // of 1.5: shocks dissipate
}

BOOST_AUTO_TEST_CASE(bodies_apart_fly_freely_until_they_meet_and_gravity_is_work)
{
  Parcels apart = parcels({{-2., -1., 1., 2.}, {.5, 0., .5}, {1., 0., -1.}});
  BOOST_TEST_REQUIRE(apart.u.size() == 2u);
  SoftCongestion flow(apart, {1e-12, 0., {}});
  flow.advance(.5);
  BOOST_TEST(flow.parcels().right[0] == -.5, boost::test_tools::tolerance(1e-4));
  BOOST_TEST(flow.parcels().u[0] == 1.);
  SoftCongestion falling(apart, {1e-12, -2., {}});
  falling.advance(.25);
  BOOST_TEST(falling.parcels().u[0] == .5, boost::test_tools::tolerance(1e-12));
}

BOOST_AUTO_TEST_CASE(it_goes_on_from_a_state_bit_for_bit)
{
  SoftCongestion whole(two_bodies(.1, 20), {1e-4, 0., {}}), parts = whole;
  whole.advance(.1);
  whole.advance(.2);
  parts.advance(.1);
  SoftCongestion resumed(two_bodies(.1, 20), {1e-4, 0., {}});
  resumed.restore(parts.parcels(), parts.time(), parts.wall_impulse());
  resumed.advance(.2);
  BOOST_TEST((resumed.parcels().u == whole.parcels().u && resumed.parcels().left == whole.parcels().left));
}

BOOST_AUTO_TEST_CASE(what_it_is_not_made_for_is_refused)
{
  const Parcels saturated = parcels({{0., 1.}, {1.}, {0.}});
  BOOST_CHECK_THROW(SoftCongestion(saturated, {1e-4, 0., {}}), std::invalid_argument);
  BOOST_CHECK_THROW(SoftCongestion(two_bodies(.1, 10), {0., 0., {}}), std::invalid_argument);
  SoftCongestion flow(two_bodies(.1, 10), {1e-4, 0., {}});
  BOOST_CHECK_THROW(flow.restore(two_bodies(.1, 20), 0., 0.), std::invalid_argument);
}

BOOST_AUTO_TEST_SUITE_END()
