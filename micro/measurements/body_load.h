// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MICRO_MEASUREMENTS_BODY_LOAD_H
#define MOREAU_MICRO_MEASUREMENTS_BODY_LOAD_H

#include "micro/motion/sphere_motion.h"

#include <string>
#include <vector>

namespace moreau::micro
{
/// Obstacles of one name, as a wall, or a hopper of two capsules.
struct MeasuredBody
{
  std::string      name;
  std::vector<int> obstacles; ///< their numbers, ascending
  bool             is_wall = false;
};

/// Impulse Σ p e (kg m/s) that spheres gave to the body in the last step, and its moment (kg m²/s) about its pivot; divided
/// by the length of the step the mean force (N) and torque (N m).
ObstacleImpulse load_on(const MeasuredBody &body, const SphereMotion &motion);

/// What torques are about: of a wall the origin, of bodies that turn the centre of that motion, of others the first point of
/// the first of them; where it is at the end of the last step.
Eigen::Vector3d pivot_of(const MeasuredBody &body, const SphereMotion &motion);
} // namespace moreau::micro

#endif
