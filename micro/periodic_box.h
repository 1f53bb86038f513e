// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MICRO_PERIODIC_BOX_H
#define MOREAU_MICRO_PERIODIC_BOX_H

#include "micro/spheres.h"

#include <array>
#include <cstdint>
#include <vector>

namespace moreau::micro
{
/// A box that repeats itself in some directions.
struct PeriodicBox
{
  Vector lower;  ///< length d (m)
  Vector period; ///< length d (m); 0 in directions that do not repeat; length 0: none does

  bool any() const { return period.size() > 0 && period.maxCoeff() > 0.; }

  /// Codes of the images of the box that touch it, as in NearPair::image; 0, the box itself, first.
  std::vector<std::int32_t> images() const;

  /// By how many periods, -1, 0 or 1 in each direction, the image with this code lies beside the box.
  static std::array<int, 3> shift(std::int32_t image);
  static std::int32_t       code(const std::array<int, 3> &shift); ///< its inverse

  /// The code of the image on the other side.
  static std::int32_t opposite(std::int32_t image);

  /// By how much the image with this code lies beside the box (length dim).
  Vector displacement(std::int32_t image, Index dim) const;

  /// Whether all columns of r are within the box, as far as it is periodic.
  bool contains(const Eigen::MatrixXd &r) const;

  /// The image of x (length d) within [lower, lower + period).
  void wrap(double *x) const;
};
} // namespace moreau::micro

#endif
