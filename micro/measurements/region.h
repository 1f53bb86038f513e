// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MICRO_MEASUREMENTS_REGION_H
#define MOREAU_MICRO_MEASUREMENTS_REGION_H

#include "micro/measurements/removal.h"

#include <string>
#include <vector>

namespace moreau::micro
{
/// A box in which means are taken.
struct Region
{
  std::string name;
  Box         box;
};

/// What is in a region at the end of a step. Tensors are d x d and symmetric; NaN where there is nothing to take the mean
/// of.
struct RegionState
{
  std::int64_t n_spheres = 0;         ///< whose centres are in it
  double       mass      = 0.;        ///< of these spheres (kg)
  Vector       u;                     ///< their momentum over their mass (m/s)
  double       packing_fraction = 0.; ///< volume of the parts of spheres in it, over its own; overlaps count twice

  /// Contacts (pressed in the last step, with walls and bodies, too) per sphere; the same among spheres that are no
  /// rattlers.
  double       coordination = 0., coordination_without_rattlers = 0.;
  std::int64_t n_rattlers = 0; ///< with fewer than d + 1 contacts with walls, bodies and spheres that are no rattlers

  Eigen::MatrixXd fabric; ///< mean of e eᵀ over the contacts of these spheres; its trace is 1

  /// (1/V) Σ (p/h) l eᵀ, l: the part of a contact's branch that is in the region, from centre to centre or to the obstacle,
  /// at the beginning of the step (Love, Weber): what contacts carry across planes, mean over region and step (Pa m^(3-d)).
  /// Pressure is positive.
  Eigen::MatrixXd stress;

  /// (1/V) Σ m (u - ū)(u - ū)ᵀ with the mean velocity ū of their mass, at the end of the step.
  Eigen::MatrixXd kinetic_stress;
};

/// Which spheres do not rattle: what is left when spheres with fewer than d + 1 contacts are taken away again and again.
std::vector<bool> held_spheres(const SphereMotion &motion);

/// Throws InputError("the regions", ...) for a box without volume, or one that reaches out of a periodic box.
void require_region(const Region &region, const SphereSystem &system);

/// held: held_spheres() of the motion.
RegionState state_of(const Region &region, const SphereMotion &motion, const std::vector<bool> &held);
} // namespace moreau::micro

#endif
