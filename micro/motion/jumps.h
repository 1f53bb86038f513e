// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MICRO_MOTION_JUMPS_H
#define MOREAU_MICRO_MOTION_JUMPS_H

#include "micro/obstacles.h"

#include <functional>
#include <optional>

namespace moreau::micro
{
/// A place in time where something prescribed is not continuous: no velocity leads over it, and what is pushed there gets
/// one that is larger the shorter the step is.
struct Jump
{
  double t;      ///< s
  double length; ///< m
};

/// The largest jump of something that goes way(a, b) (m) between the instants a and b, or none. Looks into the `most` of up
/// to 1e5 equal parts of [begin, end], of about the length h, in which it goes farthest, by bisection: a way that is
/// continuous gets shorter with the time, a jump stays.
std::optional<Jump> largest_jump(const std::function<double(double a, double b)> &way, double begin, double end, double h);

/// Of a prescribed motion.
struct ObstacleJump
{
  int  obstacle;
  Jump jump; ///< of the point's way
};

/// Of the prescribed motions of obstacles: of the material point that is at x at the beginning.
std::optional<ObstacleJump> largest_jump(const Obstacles &obstacles, const Vector &x, double begin, double end, double h);
} // namespace moreau::micro

#endif
