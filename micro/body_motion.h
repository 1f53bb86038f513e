// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MICRO_BODY_MOTION_H
#define MOREAU_MICRO_BODY_MOTION_H

#include "micro/spheres.h"

#include <array>
#include <map>
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

/// Sums over the spheres of a body.
struct BodySums
{
  double          mass     = 0.;                      ///< kg
  Eigen::Vector3d moment   = Eigen::Vector3d::Zero(); ///< Σ m r
  Eigen::Vector3d momentum = Eigen::Vector3d::Zero(); ///< after the impacts

  void add(double m, const Eigen::Ref<const Vector> &r, const Eigen::Ref<const Vector> &u);
  void add(const BodySums &more);
};

/// Bodies by their velocities before.
using Bodies = std::map<std::array<double, 3>, BodySums>;

/// The key of the body that a sphere with this velocity before belongs to.
std::array<double, 3> body_with(const Eigen::Ref<const Vector> &U);

/// What a sphere of mass m adds to `granular` (J); u: its velocity after.
double granular_energy(const BodySums &body, double m, const Eigen::Ref<const Vector> &u);

/// body_motion() for those who have made the sums.
BodyMotion motion_of(const Bodies &bodies, double granular);
} // namespace moreau::micro

#endif
