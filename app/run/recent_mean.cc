// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/run/recent_mean.h"

#include "convex/vectors.h"

#include <cmath>
#include <stdexcept>
#include <utility>

namespace moreau::app
{
namespace
{
constexpr const char *old_integral = "integral at the older moment", *young_integral = "integral at the younger moment",
                     *moments = "moments of the recent mean";
} // namespace

void RecentMean::see(const double time, const geometry::Vector &integral)
{
  constexpr double part = .1;
  if (time - young.time >= part * time && time > young.time)
    old = std::exchange(young, {time, integral});
}

geometry::Vector RecentMean::mean(const double time, const geometry::Vector &integral) const
{
  if (!(time > old.time))
    return geometry::Vector::Zero(integral.size());
  return (integral - old.integral) / (time - old.time);
}

void RecentMean::put_into(convex::NamedArrays &state) const
{
  state.reals.emplace(moments, std::vector<double>{old.time, young.time});
  state.reals.emplace(old_integral, convex::values(old.integral));
  state.reals.emplace(young_integral, convex::values(young.integral));
}

void RecentMean::take_from(convex::NamedArrays &state)
{
  const std::vector<double> times = state.reals.at(moments);
  if (times.size() != 2 || !(times[0] >= 0. && times[0] <= times[1]) || !std::isfinite(times[1]))
    throw std::invalid_argument("The moments of the recent mean are none.");
  const auto n = old.integral.size();
  old          = {times[0], convex::vector(state.reals.at(old_integral))};
  young        = {times[1], convex::vector(state.reals.at(young_integral))};
  if (old.integral.size() != n || young.integral.size() != n)
    throw std::invalid_argument("The state is of other cells.");
  for (const char *const name : {moments, old_integral, young_integral})
    state.reals.erase(name);
}
} // namespace moreau::app
