// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MICRO_MOTION_LAST_STEP_H
#define MOREAU_MICRO_MOTION_LAST_STEP_H

#include "micro/motion/sphere_motion.h"

#include <vector>

namespace moreau::micro
{
/// What pictures and tables show of the last step of spheres, and no later step needs.
struct LastStep
{
  double                       h = 0.;
  std::vector<MotionContact>   contacts;
  Vector                       impulse; ///< of each sphere (d n)
  StepPaths                    ways;
  std::vector<ObstacleImpulse> of_obstacles;

  void add_to(MotionState &state) const;

  /// What add_to() has written with n spheres. Throws std::logic_error where it is of others.
  static LastStep of(const MotionState &state, Index dim, Index n, Index n_obstacles);
};
} // namespace moreau::micro

#endif
