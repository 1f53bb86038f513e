// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MICRO_MOTION_INITIAL_OVERLAP_H
#define MOREAU_MICRO_MOTION_INITIAL_OVERLAP_H

#include "micro/periodic_obstacles.h"
#include "micro/pair_search.h"

namespace moreau::micro
{
/// Throws InputError("the spheres", ...) where spheres that a motion begins with overlap each other or an obstacle by more
/// than the usual tolerance of contacts.
void require_no_overlap(const Spheres &spheres, const PeriodicObstacles &placed, const PeriodicBox &box);
} // namespace moreau::micro

#endif
