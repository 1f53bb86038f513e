// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MICRO_PACKINGS_H
#define MOREAU_MICRO_PACKINGS_H

#include "micro/spheres.h"

#include <functional>

namespace moreau::micro
{
/// How a random packing is made.
struct PackingParameters
{
  Vector            lower, upper;  ///< box (m)
  std::vector<bool> periodic;      ///< per direction; elsewhere the sides are walls
  Index             n        = 0;  ///< number of spheres; 0: from `coverage` and `radius`
  double            radius   = 0.; ///< mean radius of the end (m); 0: whatever n spheres reach
  double            spread   = 0.; ///< radii are uniform in mean * [1 - spread, 1 + spread], in [0, 1)
  double            coverage = 0.; ///< fraction of the box that the spheres cover in the end; 0: until the packing is jammed
  std::string       method   = "growth"; ///< "growth": radii R(t) grow under scheme A; "compression": the box shrinks
  unsigned int      seed     = 1;
  double            tolerance = 1e-10; ///< relative growth of the radii below which the packing counts as jammed
};

struct Packing
{
  Spheres      spheres;
  double       coverage   = 0.;    ///< Σ volumes / volume of the box
  bool         jammed     = false; ///< nothing could grow any further
  Index        n_contacts = 0;     ///< with walls, at a gap of 1e-8 of the smaller radius
  Index        n_rattlers = 0;     ///< spheres that no contact holds
  unsigned int n_steps    = 0;
};

/// Reproducible: the same parameters give the same packing on every machine with the same arithmetic, for any number of threads.
/// progress(fraction) is called now and then. Throws InputError("Spheres/Coverage") where the coverage cannot be reached, saying what was.
Packing random_packing(const PackingParameters &parameters, const std::function<void(double)> &progress = {});
} // namespace moreau::micro

#endif
