// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MACRO_DIRECTIONAL_DUAL_POLISH_H
#define MOREAU_MACRO_DIRECTIONAL_DUAL_POLISH_H

#include "macro/directional/simplex_certificate.h"

#include <limits>

namespace moreau::macro
{
/// How long to go on: at most this many steps, and not where hundred of them make η² smaller by less than a hundredth.
struct PolishSteps
{
  unsigned int most;
  double bound_of_start = std::numeric_limits<double>::infinity(); ///< η² of the p that is given; infinite: all steps

  static constexpr unsigned int between_looks = 100;
  static constexpr double       least_gain    = .01;
};

/// Makes |U - B*p| smaller among the admissible quadratic pressures: since η² = |v - U|² - |U|² + |U - B*p|² for every v,
/// each step lowers the bound. By projected gradients with momentum, scaled by the diagonal, from p; never worse than p.
/// Errors on the scale of a simplex (kinks of p, boundaries) go first. Coefficients that a facet demands to be 0, or ties,
/// stay.
SimplexPressure polished(const DirectionalZone &zone, const SimplexEdges &edges, const SimplexData &data,
                         const PressureLimits &limits, SimplexPressure p, const PolishSteps &steps,
                         const Progress &progress = {});
} // namespace moreau::macro

#endif
