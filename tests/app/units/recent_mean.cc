// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/run/recent_mean.h"

#include <boost/test/unit_test.hpp>

#include <cmath>
#include <stdexcept>

BOOST_AUTO_TEST_SUITE(recent_mean)

using namespace moreau;
using app::RecentMean;
using geometry::Vector;

namespace
{
constexpr double period = .04, mean = 7. / 3.;

/// Of a sawtooth with this mean: 0 to twice the mean in each period.
Vector integral(const double t)
{
  const double whole = std::floor(t / period), rest = t / period - whole;
  return Vector::Constant(2, mean * period * (whole + rest * rest));
}
} // namespace

BOOST_AUTO_TEST_CASE(many_periods_average_out_and_the_part_is_a_tenth_to_a_fifth_of_the_time)
{
  RecentMean recent(2);
  double     last = 0.;
  for (int k = 1; k <= 3000; ++k)
    {
      const double t = .00317 * k;
      recent.see(t, integral(t));
      if (t < 2.)
        continue;
      BOOST_TEST(t - recent.since() >= .1 * t - 1e-9);
      BOOST_TEST(t - recent.since() <= .21 * t);
      BOOST_TEST((recent.mean(t, integral(t)) - Vector::Constant(2, mean)).cwiseAbs().maxCoeff() <=
                 mean * period / (.1 * t));
      last = t;
    }
  BOOST_TEST(last > 9.);
}

BOOST_AUTO_TEST_CASE(before_there_is_a_moment_the_mean_is_over_all_of_the_time)
{
  const RecentMean recent(2);
  BOOST_TEST(recent.since() == 0.);
  BOOST_TEST(recent.mean(.02, integral(.02))(0) == integral(.02)(0) / .02, boost::test_tools::tolerance(1e-14));
  BOOST_TEST(recent.mean(0., integral(0.)).isZero(0.));
}

BOOST_AUTO_TEST_CASE(a_state_goes_on_and_others_are_refused)
{
  RecentMean recent(2);
  for (int k = 1; k <= 100; ++k)
    recent.see(.01 * k, integral(.01 * k));
  convex::NamedArrays state;
  recent.put_into(state);
  RecentMean          other(2), larger(3);
  convex::NamedArrays copy = state;
  BOOST_CHECK_THROW(larger.take_from(copy), std::invalid_argument);
  copy = {};
  BOOST_CHECK_THROW(other.take_from(copy), std::out_of_range);
  other.take_from(state);
  BOOST_TEST(state.reals.empty());
  BOOST_TEST(other.since() == recent.since());
  BOOST_TEST(other.mean(1.01, integral(1.01)) == recent.mean(1.01, integral(1.01)));
}

BOOST_AUTO_TEST_SUITE_END()
