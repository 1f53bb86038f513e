// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MICRO_MOTION_CARRIED_ROWS_H
#define MOREAU_MICRO_MOTION_CARRIED_ROWS_H

#include "micro/motion/linearised_step.h"
#include "micro/motion/sphere_motion.h"

namespace moreau::micro
{
/// The multipliers that a step leaves, as the next one finds its rows: spheres and bodies that have passed a periodic side
/// meet through other images.
///   ways, r    of the step; centres at its end (d x n, m)
///   now, next  obstacles at its end and at that of the next one
RowMultipliers carried_over(RowMultipliers known, const StepPaths &ways, const Eigen::MatrixXd &r, const PeriodicBox &box,
                            const PeriodicObstacles &now, const PeriodicObstacles &next);
} // namespace moreau::micro

#endif
