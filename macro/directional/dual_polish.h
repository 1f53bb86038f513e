// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MACRO_DIRECTIONAL_DUAL_POLISH_H
#define MOREAU_MACRO_DIRECTIONAL_DUAL_POLISH_H

#include "macro/directional/simplex_certificate.h"

namespace moreau::macro
{
/// Makes |U - B*p| smaller among the admissible quadratic pressures: since η² = |v - U|² - |U|² + |U - B*p|² for every v,
/// each step lowers the bound. By projected gradients with momentum, scaled by the diagonal, from p; never worse than p.
/// Errors on the scale of a simplex (kinks of p, boundaries) go first. Coefficients that a facet demands to be 0, or ties,
/// stay.
SimplexPressure polished(const DirectionalZone &zone, const SimplexEdges &edges, const SimplexData &data, SimplexPressure p,
                         unsigned int n_steps, const Progress &progress = {});
} // namespace moreau::macro

#endif
