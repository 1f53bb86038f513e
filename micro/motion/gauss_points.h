// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MICRO_MOTION_GAUSS_POINTS_H
#define MOREAU_MICRO_MOTION_GAUSS_POINTS_H

#include <array>
#include <cmath>

namespace moreau::micro
{
/// A point of a rule on [0, 1]; weights add up to 1.
struct GaussPoint
{
  double s, weight;
};

/// Gauss-Legendre, exact for degree 5: what schemes take the mean of a force over a step with.
inline const std::array<GaussPoint, 3> gauss_points = {
    {{.5 - std::sqrt(.15), 5. / 18.}, {.5, 4. / 9.}, {.5 + std::sqrt(.15), 5. / 18.}}};
} // namespace moreau::micro

#endif
