// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MICRO_MOTION_JUMPING_OBSTACLE_H
#define MOREAU_MICRO_MOTION_JUMPING_OBSTACLE_H

#include "micro/obstacles.h"

#include <optional>

namespace moreau::micro
{
/// A place in time where the prescribed motion of an obstacle is not continuous: no velocity leads over it, and what the
/// obstacle pushes there gets one that is larger the shorter the step is.
struct ObstacleJump
{
  int    obstacle;
  double t;      ///< s
  double length; ///< of the point's way (m)
};

/// The largest jump of the material point that is at x, or none. Looks into the `most` of up to 1e5 equal parts of
/// [begin, end], of about the length h, in which an obstacle moves farthest, by bisection: a way that is continuous gets
/// shorter with the time, a jump stays.
std::optional<ObstacleJump> largest_jump(const Obstacles &obstacles, const Vector &x, double begin, double end, double h);
} // namespace moreau::micro

#endif
