// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/line/soft_congestion.h"

#include "convex/input_error.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <sstream>
#include <stdexcept>
#include <string>

namespace moreau::macro
{
namespace
{
double mass(const Parcels &parcels, const std::size_t k) { return parcels.m[k + 1] - parcels.m[k]; }

/// τ - 1: what a parcel has beyond the room that it needs at least, per unit of its mass.
double slack(const Parcels &parcels, const std::size_t k)
{
  return (parcels.right[k] - parcels.left[k]) / mass(parcels, k) - 1.;
}

void check(const Parcels &parcels)
{
  for (std::size_t k = 0; k < parcels.u.size(); ++k)
    if (!(slack(parcels, k) > 0.))
      throw std::invalid_argument(
          "Soft congestion needs densities below 1, where its pressure is infinite; that of parcel " + std::to_string(k) +
          " is " + std::to_string(1. / (1. + slack(parcels, k))) + ".");
}
} // namespace

SoftCongestion::SoftCongestion(Parcels initial, const Parameters &parameters)
    : parameters(parameters)
    , matter(std::move(initial))
    , p(matter.u.size())
    , c(matter.u.size())
    , left_side(matter.u.size())
    , right_side(matter.u.size())
{
  if (!(parameters.epsilon > 0. && std::isfinite(parameters.epsilon)))
    throw std::invalid_argument("Soft congestion needs a positive ε.");
  check(matter);
}

void SoftCongestion::restore(Parcels parcels, const double time, const double wall_impulse)
{
  if (parcels.u.size() != matter.u.size() || parcels.left.size() != matter.u.size() ||
      parcels.right.size() != matter.u.size() || parcels.m != matter.m)
    throw std::invalid_argument("The state is of other parcels.");
  check(parcels);
  matter     = std::move(parcels);
  now        = time;
  from_walls = wall_impulse;
}

double SoftCongestion::elastic_energy() const
{
  double sum = 0.;
  for (std::size_t k = 0; k < matter.u.size(); ++k)
    sum += parameters.epsilon / slack(matter, k) * mass(matter, k);
  return sum;
}

/// Pressures of parcels, and what their sides do: from linear waves with the larger of the two speeds where parcels touch,
/// into vacuum else.
void SoftCongestion::evaluate()
{
  const std::size_t n = matter.u.size();
  const auto       &u = matter.u;
  for (std::size_t k = 0; k < n; ++k)
    {
      const double room = slack(matter, k);
      p[k]              = parameters.epsilon / (room * room);
      c[k]              = std::sqrt(2. * p[k] / room);
      left_side[k]      = {u[k] - p[k] / c[k], 0.};
      right_side[k]     = {u[k] + p[k] / c[k], 0.};
    }
  for (std::size_t k = 0; k + 1 < n; ++k)
    if (matter.right[k] >= matter.left[k + 1])
      {
        const double speed    = std::max(c[k], c[k + 1]);
        const double pressure = .5 * (p[k] + p[k + 1]) + .5 * speed * (u[k] - u[k + 1]);
        if (pressure > 0.)
          right_side[k] = left_side[k + 1] = {.5 * (u[k] + u[k + 1]) + .5 * (p[k] - p[k + 1]) / speed, pressure};
      }
  if (matter.left.front() <= parameters.walls.left)
    if (const double pressure = p.front() - c.front() * u.front(); pressure > 0.)
      left_side.front() = {0., pressure};
  if (matter.right.back() >= parameters.walls.right)
    if (const double pressure = p.back() + c.back() * u.back(); pressure > 0.)
      right_side.back() = {0., pressure};
}

/// No wave crosses a parcel, none loses more than half of its slack, and no gap more than closes.
double SoftCongestion::longest_step() const
{
  constexpr double part = .45, part_of_slack = .5;
  double           h       = std::numeric_limits<double>::infinity();
  const auto       closing = [&h](const double gap, const double speed) {
    if (gap > 0. && speed > 0.)
      h = std::min(h, gap / speed);
  };
  for (std::size_t k = 0; k < matter.u.size(); ++k)
    {
      h                     = std::min(h, part * mass(matter, k) / c[k]);
      const double shortens = left_side[k].u - right_side[k].u;
      if (shortens > 0.)
        h = std::min(h, part_of_slack * slack(matter, k) * mass(matter, k) / shortens);
      if (k + 1 < matter.u.size())
        closing(matter.left[k + 1] - matter.right[k], right_side[k].u - left_side[k + 1].u);
    }
  closing(matter.left.front() - parameters.walls.left, -left_side.front().u);
  closing(parameters.walls.right - matter.right.back(), right_side.back().u);
  return h;
}

void SoftCongestion::step(const double h)
{
  const std::size_t n = matter.u.size();
  for (std::size_t k = 0; k < n; ++k)
    {
      matter.left[k] += h * left_side[k].u;
      matter.right[k] += h * right_side[k].u;
      matter.u[k] += h * (parameters.force + (left_side[k].p - right_side[k].p) / mass(matter, k));
    }
  from_walls += h * (left_side.front().p - right_side.back().p);
  // gaps that have closed up to rounding
  const double scale = std::max(std::abs(matter.left.front()), std::abs(matter.right.back()));
  const double tiny  = 8. * std::numeric_limits<double>::epsilon() * scale;
  for (std::size_t k = 0; k + 1 < n; ++k)
    if (matter.left[k + 1] - matter.right[k] <= tiny)
      matter.right[k] = matter.left[k + 1] = .5 * (matter.right[k] + matter.left[k + 1]);
  if (matter.left.front() - parameters.walls.left <= tiny)
    matter.left.front() = parameters.walls.left;
  if (parameters.walls.right - matter.right.back() <= tiny)
    matter.right.back() = parameters.walls.right;
}

void SoftCongestion::advance(const double t)
{
  constexpr std::int64_t most_steps = 10000000; // a quarter of an hour, with a thousand parcels
  const auto             refuse     = [&](const std::string &why) {
    std::ostringstream text;
    text << "With " << parameters.epsilon << " m²/s², at t = " << now << " s, " << why;
    throw InputError("the soft pressure", text.str());
  };
  for (std::int64_t n_steps = 0; now < t; ++n_steps)
    {
      evaluate();
      const double h = longest_step();
      if (std::isnan(h) || !std::isfinite(matter.u.front() + matter.u.back()))
        refuse("the pressure makes velocities that are too large to compute with; give less.");
      if (n_steps == most_steps)
        refuse(
            "waves are so fast, or gaps so narrow, that ten million steps do not lead to the next instant; give more, or a "
            "shorter time step.");
      if (!(now + h < t))
        {
          step(t - now);
          now = t;
          return;
        }
      if (!(now + h > now))
        refuse("steps would be shorter than rounding; give more.");
      step(h);
      now += h;
    }
}
} // namespace moreau::macro
