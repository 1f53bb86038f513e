// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MICRO_BODY_MOTION_H
#define MOREAU_MICRO_BODY_MOTION_H

#include "micro/spheres.h"

#include <optional>

namespace moreau::micro
{
/// How bodies move after impacts, a body being all spheres that had one velocity before (to the last digit).
struct BodyMotion
{
  Index  n_bodies = 0;
  double granular = 0.; ///< kinetic energy about the mean velocities of the bodies, ½ Σ m |u - ū|² (J)

  /// Of two bodies whose centres approached each other: -(w·W)/|W|², W and w their relative mean velocities before and
  /// after. What is tangential to the contact counts as it is; for blocks that meet head on it is how fast they part over
  /// how fast they met.
  std::optional<double> effective_restitution;
};

/// spheres: before the impacts; U, u: velocities before and after, length d n (m/s).
BodyMotion body_motion(const Spheres &spheres, const Vector &U, const Vector &u);
} // namespace moreau::micro

#endif
