// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MICRO_COMPACTION_H
#define MOREAU_MICRO_COMPACTION_H

#include "micro/soft_spheres.h"

#include <functional>

namespace moreau::micro
{
/// Lets the radii of spheres that do not overlap grow to where these are jammed: a local maximum of s under
///     D_c(r, s) >= 0   (D = |r_j - r_i| - s (a_i + a_j), and over walls),
/// to some 1e-12 of the diameters; s is that of `spheres`. A primal-dual interior point that goes on to new places in each
/// step, one factorisation each: with gaps D > 0 and forces p > 0 of the sum Σ p_c (a_i + a_j) = 1, in Newton's step for
///     Bᵀp = 0,   p_c D_c = μ
/// contacts are straight and (dr, ds) costs ½ λ |dr|² more, with λ a small part of what a pressed contact resists sideways.
/// D is convex in the places, so that no step makes an overlap. μ falls to a third (in space by half) where most of a step
/// can be gone. Where several steps in a row are short, spheres have far to go from a place that is no longer stable: an
/// avalanche, in which a step is some √(D R) long. Then μ is raised until gaps are wide enough to let it pass, and falls
/// again after it.
///
/// False where it breaks down or takes more than 3000 steps; spheres do not overlap then, either. Those that overlap at
/// the start are left as they are.
/// said(fraction) of the decades of Σ p D that are done, increasing.
bool compact(SoftSpheres &spheres, const std::function<void(double)> &said);
} // namespace moreau::micro

#endif
