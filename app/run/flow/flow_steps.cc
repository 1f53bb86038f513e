// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/run/flow/flow_steps.h"

#include "app/input/text/formula.h"
#include "app/input/text/words.h"

#include "convex/input_error.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <stdexcept>

namespace moreau::app
{
namespace
{
constexpr double      round_off         = 1e-12;
constexpr const char *interval_in_state = "interval of pictures";
constexpr const char *varying_in_state  = "step of what varies";

/// How many equal steps no longer than h reach `way`.
double n_steps(const double way, const double h) { return std::max(1., std::ceil(way / h - round_off)); }

/// The time as one would type it: 3 * 0.05 is 0.15, so that a run until then ends where a longer one has a picture.
double typed(const double t)
{
  char text[32];
  std::snprintf(text, sizeof text, "%.12g", t);
  return std::strtod(text, nullptr);
}

/// Whether the force or what flows in does: the CFL condition knows them at the beginning of a step alone.
bool varies_in_time(const Parameters &parameters)
{
  const auto depends = [](const std::string &section, const ExpressionText &text, const geometry::Index n) {
    return !text.expression.empty() && Formula(section, text, n).uses("t");
  };
  const geometry::Index dim = parameters.dimension;
  return depends("Force", parameters.motion.force, dim) ||
         !parameters.flow.inflow_sides.empty() && (depends("Inflow", parameters.flow.inflow_density, 1) ||
                                                   depends("Inflow", parameters.flow.inflow_velocity, dim));
}
} // namespace

FlowSteps::FlowSteps(const Parameters &parameters)
    : end(parameters.motion.time.end_time)
    , most(parameters.motion.time.steps.front())
    , interval(parameters.motion.time.output_every > 0. ? parameters.motion.time.output_every : end / 100.)
    , cfl(parameters.flow.cfl)
    , fixed(parameters.flow.fixed_steps)
    , has_interval(parameters.motion.time.output_every > 0.)
{
  if (most > 0.)
    return;
  most = std::numeric_limits<double>::infinity();
  if (varies_in_time(parameters))
    of_varying = end / 1000.;
}

FlowStep FlowSteps::next(const double t, const double longest, const double until_contact) const
{
  if (!(longest > round_off * end))
    {
      const std::string steps = "At t = " + short_number(t) + " s steps of " + short_number(longest) +
                                " s would be needed, which never reach the end at " + short_number(end) + " s; ";
      if (cfl < round_off)
        throw InputError("Congested flow/CFL number", steps + "give a larger number.");
      throw InputError("Time/End time", steps + "check velocities and forces, or give an earlier end.");
    }
  if (fixed)
    return fixed_step(t, longest);
  double target = t;
  for (double picture = std::floor(t / interval); !(target > t); ++picture)
    target = typed(picture * interval);
  const bool is_picture = target <= end + 1e-9 * interval;
  if (!(target < end - 1e-9 * interval))
    target = end;
  const double way = target - t, wanted = n_steps(way, most), n = n_steps(way, std::min({most, longest, of_varying}));
  const double h = way / n;
  if (until_contact < (1. - 1e-9) * h)
    return {t + until_contact, false, false};
  return {n == 1. ? target : t + h, n == 1. && is_picture, n > wanted && std::isfinite(most)};
}

void FlowSteps::put_into(convex::NamedArrays &state) const
{
  state.reals[interval_in_state] = {interval};
  state.reals[varying_in_state]  = {std::isfinite(of_varying) ? of_varying : 0.};
}

void FlowSteps::take_from(convex::NamedArrays &state)
{
  if (!has_interval)
    interval = state.reals.at(interval_in_state).at(0);
  if (!(interval > 0.))
    throw std::out_of_range("The state has no interval of pictures.");
  state.reals.erase(interval_in_state);
  of_varying = state.reals.at(varying_in_state).at(0);
  if (!(of_varying > 0.))
    of_varying = std::numeric_limits<double>::infinity();
  state.reals.erase(varying_in_state);
}

FlowStep FlowSteps::fixed_step(const double t, const double longest) const
{
  const double step = std::floor(t / most + 1e-6) + 1.;
  double       next = typed(step * most);
  if (!(next < end - 1e-9 * most))
    next = end;
  if (next - t > longest * (1. + 1e-9))
    throw InputError("Time/Time step", short_number(most) + " s is longer than the " + short_number(longest) +
                                           " s that Congested flow/CFL number = " + short_number(cfl) +
                                           " allows at t = " + short_number(t) +
                                           " s; give no more than that, or Congested flow/Steps = reduced.");
  // the picture of an interval is taken at the first step that does not end before it
  const double before = std::floor(t / interval + 1e-6), after = std::floor(next / interval + 1e-6);
  return {next, after > before, false};
}
} // namespace moreau::app
