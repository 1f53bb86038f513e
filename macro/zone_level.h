// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MACRO_ZONE_LEVEL_H
#define MOREAU_MACRO_ZONE_LEVEL_H

#include "macro/discretize.h"

#include <optional>
#include <vector>

namespace moreau::macro
{
/// `zone_level`, for pictures of meshes whose cells the boundary of the zone cuts: positive in the zone, negative outside of
/// it; the lesser of domain.level (in its own unit) and the distances from the sides of the box (m). points: 3 per point
/// (m). None where the density is not 1 in all of the box and no level is known.
std::optional<geometry::Array> zone_level(const Domain &domain, const std::vector<double> &points);
} // namespace moreau::macro

#endif
