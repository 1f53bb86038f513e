// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MICRO_CLUSTER_CENTRE_H
#define MOREAU_MICRO_CLUSTER_CENTRE_H

#include "micro/spheres.h"

#include <optional>
#include <set>
#include <vector>

namespace moreau::micro
{
/// The c from which expansion() moves a cluster apart: the point nearest to its centroid x that lies behind all walls
/// that it touches, up to `slack` (m); nothing where no point does, or where of many walls more than twelve are needed to
/// find it.
///   x, result  relative to `origin` (m)
///   which      numbers of the walls
std::optional<Vector> nearest_point_behind(const std::vector<Wall> &walls, const std::set<int> &which, const Vector &x,
                                           const Vector &origin, double slack);
} // namespace moreau::micro

#endif
