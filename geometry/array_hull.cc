// SPDX-License-Identifier: GPL-3.0-or-later
#include "geometry/array_hull.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace moreau::geometry
{
OnHull hull_of_array(const Eigen::MatrixXd &positions, const Index n_components,
                     const std::function<double(const std::array<Index, 3> &cell, Index component)> &value)
{
  constexpr double     rounding = 1e-6; // of a cell
  std::array<Index, 3> first = {}, last = {};
  for (Index axis = 0; axis < positions.rows(); ++axis)
    {
      const double least = positions.row(axis).minCoeff(), most = positions.row(axis).maxCoeff();
      first[axis] = static_cast<Index>(std::floor(least + rounding));
      last[axis]  = std::max(first[axis], static_cast<Index>(std::ceil(most - rounding)) - 1);
    }
  constexpr double infinity = std::numeric_limits<double>::infinity();
  OnHull           known;
  known.lower = Vector::Constant(n_components, infinity);
  known.upper = Vector::Constant(n_components, -infinity);
  for (std::array<Index, 3> cell = first; cell[2] <= last[2]; ++cell[2])
    for (cell[1] = first[1]; cell[1] <= last[1]; ++cell[1])
      for (cell[0] = first[0]; cell[0] <= last[0]; ++cell[0])
        for (Index c = 0; c < n_components; ++c)
          {
            const double here = value(cell, c);
            known.lower(c)    = std::min(known.lower(c), here);
            known.upper(c)    = std::max(known.upper(c), here);
          }
  known.value           = .5 * (known.lower + known.upper);
  known.remainder       = .5 * (known.upper - known.lower);
  known.gradient        = Eigen::MatrixXd::Zero(n_components, positions.rows());
  known.is_in_one_piece = known.is_polynomial = (known.remainder.array() == 0.).all();
  return known;
}
} // namespace moreau::geometry
