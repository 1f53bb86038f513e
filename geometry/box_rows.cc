// SPDX-License-Identifier: GPL-3.0-or-later
#include "geometry/box_rows.h"

#include <algorithm>

namespace moreau::geometry
{
double divergence(const FaceArrays &v, const CellIndex &cell)
{
  const BoxGrid &grid = v.box_grid();
  double         sum  = 0.;
  for (int axis = 0; axis < grid.dim; ++axis)
    sum += (v(axis, moved(cell, axis, 1)) - v(axis, cell)) / grid.h(axis);
  return sum;
}

void divergence(const FaceArrays &v, const Row &row, double *const d)
{
  const Index n = row.end - row.begin[0];
  std::fill(d, d + n, 0.);
  for (int axis = 0; axis < v.box_grid().dim; ++axis)
    {
      const double *const lower = &v.values[axis](v.position(axis, row.begin)), *const upper = &v.values[axis](v.position(
                                                                                    axis, moved(row.begin, axis, 1)));
      const double h = v.box_grid().h(axis);
      for (Index i = 0; i < n; ++i)
        d[i] += (upper[i] - lower[i]) / h;
    }
}
} // namespace moreau::geometry
