// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MICRO_MEASUREMENTS_REMOVAL_H
#define MOREAU_MICRO_MEASUREMENTS_REMOVAL_H

#include "micro/motion/sphere_motion.h"

#include <optional>
#include <utility>
#include <vector>

namespace moreau::micro
{
/// lower <= x < upper.
struct Box
{
  Vector lower, upper; ///< length d (m)

  bool contains(const double *x) const
  {
    for (Index k = 0; k < lower.size(); ++k)
      if (!(lower(k) <= x[k] && x[k] < upper(k)))
        return false;
    return true;
  }

  /// Whether an image of x is, with these periods (m; 0: none; of length 0: none at all).
  bool contains_image(const double *x, const Vector &period) const;

  double volume() const { return (upper - lower).prod(); } ///< m^d

  /// From where to where, in [0, 1], the line from x to x + way is in the box; the second is not above the first where it is
  /// nowhere.
  std::pair<double, double> part_of_line(const Vector &x, const Vector &way) const;
};

/// Where spheres are taken out of a motion: boxes that are repeated as the motion is.
struct Removal
{
  std::vector<Box>   in;         ///< where their centre is in one of these
  std::optional<Box> outside_of; ///< or is not in this one

  bool any() const { return !in.empty() || outside_of; }

  /// Numbers of the spheres to take out now, ascending.
  ///   period  as in SphereSystem
  std::vector<Index> due(const Spheres &spheres, const Vector &period) const;
};
} // namespace moreau::micro

#endif
