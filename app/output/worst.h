// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_APP_OUTPUT_WORST_H
#define MOREAU_APP_OUTPUT_WORST_H

#include "convex/cone_projection.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

/// The worst of many steps.
namespace moreau::app
{
/// NaN is worse than any number, and stays.
inline void raise(double &worst, const double x)
{
  if (!std::isnan(worst) && !(x <= worst))
    worst = x;
}

/// A certificate of which steps have no common number: only what is set afterwards counts.
inline convex::Certificate certificate_of_steps()
{
  constexpr double    none = std::numeric_limits<double>::quiet_NaN();
  convex::Certificate c;
  c.guaranteed           = false;
  c.relative_error_bound = c.natural_residual = c.bound_relative_to_u = none;
  c.gap = c.primal_infeasibility = c.dual_infeasibility = c.complementarity = none;
  c.momentum = c.round_off_floor = c.scale = none;
  return c;
}

/// "2 of 100 steps did not converge, the first was step 3 ...; the worst natural residual of these is ...".
std::string complaint(std::int64_t n_not_converged, std::int64_t n_steps, const std::string &first, double worst_residual);
} // namespace moreau::app

#endif
