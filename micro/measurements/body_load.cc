// SPDX-License-Identifier: GPL-3.0-or-later
#include "micro/measurements/body_load.h"

#include <Eigen/Geometry>

namespace moreau::micro
{
Eigen::Vector3d pivot_of(const MeasuredBody &body, const SphereMotion &motion)
{
  Eigen::Vector3d pivot = Eigen::Vector3d::Zero();
  if (body.is_wall)
    return pivot;
  const int    first       = body.obstacles.front();
  const Vector centre      = motion.system().obstacles.centre_of_rotation(first, motion.time());
  const Vector point       = centre.size() > 0 ? centre : motion.obstacles().obstacles()[first].a;
  pivot.head(point.size()) = point;
  return pivot;
}

ObstacleImpulse load_on(const MeasuredBody &body, const SphereMotion &motion)
{
  ObstacleImpulse load;
  for (const int k : body.obstacles)
    {
      load.impulse += motion.obstacle_impulses()[k].impulse;
      load.moment += motion.obstacle_impulses()[k].moment;
    }
  load.moment -= pivot_of(body, motion).cross(load.impulse);
  return load;
}
} // namespace moreau::micro
