// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MICRO_MOTION_RESTING_CLUSTERS_H
#define MOREAU_MICRO_MOTION_RESTING_CLUSTERS_H

#include "micro/motion/linearised_step.h"

#include <vector>

namespace moreau::micro
{
/// Spheres that pressed contacts of a step connect, and how fast they may approach without an impact.
struct PressedClusters
{
  std::vector<int>    of_sphere; ///< number of the cluster; -1: no pressed contact
  std::vector<double> resting;   ///< m/s, of each cluster: twice what forces can press its contacts with in a step
};

/// What forces press: the parts h f_i along the normals of the obstacles that the cluster touches, which carry it, and what
/// is left of h f_i less its mean, which moves spheres against each other. A cluster that flies freely in a uniform force
/// is not pressed at all; nor is one by a wall that the force is parallel to.
///   pressed  numbers of rows
///   pushed   h f: what the forces add to velocities in the step (d n), m/s
PressedClusters pressed_clusters(const std::vector<StepRow> &rows, const std::vector<std::size_t> &pressed, const Vector &m,
                                 Index dim, const Vector &pushed);
} // namespace moreau::micro

#endif
