// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MACRO_DIRECTIONAL_JAMMING_STRESS_H
#define MOREAU_MACRO_DIRECTIONAL_JAMMING_STRESS_H

#include "convex/cone_projection.h"
#include "macro/directional/zone.h"

namespace moreau::macro
{
/// The multiplier of the inner approximation of a circular cone that stands for the stress
///     T = Σ_a e_a e_aᵀ   over the r axes that have walls on both sides,
/// which pushes against these and balances itself, div T = 0 and Tn = 0 on free sides across the other axes. It lies in
/// the polar cone where s² >= (d-r)/((d-1) r): s > 0 between walls all around, s >= 1/2 in a shaft, s = 1 between two walls.
/// Then <T, D> = 0 for all admissible D, and the cone has no interior. Length 0 where it does not or no axis has two walls.
/// What bodies of other shapes, or torn facets, ask for beyond is not looked at: B*s is not 0 then.
Vector jamming_stress(const DirectionalZone &zone, const convex::ProjectionProblem &inner);
} // namespace moreau::macro

#endif
