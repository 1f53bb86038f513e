// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MICRO_JAMMING_H
#define MOREAU_MICRO_JAMMING_H

#include "micro/packings.h"

namespace moreau::micro
{
/// Fewer spheres take a second either way; 400 discs are 10 times faster so, 1500 discs 6 to 65 times, 1000 balls 14.
constexpr Index fewest_to_jam(const Index dim) { return dim < 3 ? 400 : 200; }

/// Whether jam() makes such a packing: jammed, of at least fewest_to_jam() spheres, whose radii grow without obstacles.
bool can_jam(const PackingParameters &parameters);

/// A jammed packing of many spheres, in three stages.
///
/// Soft spheres (SoftSpheres): from random places at a coverage a little beyond jamming, E = ½ Σ ((R_i + R_j - |r_j -
/// r_i|)⁺)² over pairs and walls is minimised by inertia, and radii are reduced, until overlaps are some 5e-4 of a diameter
/// (of many balls less).
///
/// Hard spheres that grow until they are jammed, by an interior point (micro/compaction.h): this makes the packing. Where it
/// breaks down, which was not seen, linear programs go on from there, and what is compressed does not count as jammed.
///
/// Linear programs: the largest common factor 1 - t of the radii for which displacements x leave no overlap,
///     min { t : e·(x_i - x_j) <= D + t (R_i + R_j) for all pairs within reach },
/// once or twice, show that (Donev, Torquato, Stillinger, Connelly 2004), to 1e-13 of the radii. D is convex, so that no
/// step makes an overlap; what is neglected is of second order in x. Multipliers are forces: in the generic case as many as
/// there are coordinates of spheres that are held, and one, less the translations of the periodic box. Equal discs form
/// crystals that carry many stresses: their bounds end at 1e-12 to 2e-9. Where three programs in a row let nothing grow, the
/// least of their bounds has to be below 1e-8, the gap of a contact.
///
/// Soft spheres of radii 1 + ε times those of jamming (PackingParameters::overlap) are led there in steps from the jammed
/// packing, instead of linear programs; then s' = s (1 - max overlap/(R_i + R_j)). They are `jammed` where forces are
/// balanced in the end, to 1e-8 of the mean overlap in the root mean square.
///
/// Reproducible as random_packing(), which calls it; progress may be empty.
Packing jam(const PackingParameters &parameters, const std::function<void(double)> &progress);
} // namespace moreau::micro

#endif
