// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MICRO_JAMMING_H
#define MOREAU_MICRO_JAMMING_H

#include "micro/packings.h"

namespace moreau::micro
{
/// Fewer spheres are no faster so.
constexpr Index fewest_to_jam = 2000;

/// Whether jam() makes such a packing: jammed, of at least fewest_to_jam spheres, whose radii grow without obstacles.
bool can_jam(const PackingParameters &parameters);

/// A jammed packing of many spheres, in two stages.
///
/// Soft spheres: from random places at a coverage a little beyond jamming, E = ½ Σ ((R_i + R_j - |r_j - r_i|)⁺)² over pairs
/// and walls is minimised (FIRE, Bitzek et al. 2006), and radii are reduced until overlaps are some hundred-thousandths.
///
/// Linear programs: the largest common factor 1 - t of the radii for which displacements x leave no overlap,
///     min { t : e·(x_i - x_j) <= D + t (R_i + R_j) for all pairs within reach },
/// again and again at the new places (Donev, Torquato, Stillinger, Connelly 2004). D is convex, so that no step makes an
/// overlap; what is neglected is of second order in x. Multipliers are forces: in the generic case as many as there are
/// coordinates of spheres that are held, and one, less the translations of the periodic box.
///
/// Reproducible as random_packing(), which calls it; progress may be empty.
Packing jam(const PackingParameters &parameters, const std::function<void(double)> &progress);
} // namespace moreau::micro

#endif
