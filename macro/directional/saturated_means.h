// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MACRO_DIRECTIONAL_SATURATED_MEANS_H
#define MOREAU_MACRO_DIRECTIONAL_SATURATED_MEANS_H

#include "geometry/box_grid.h"
#include "macro/discretize.h"

namespace moreau::macro
{
/// What lies in the cells of a grid that may be turned against the box and stick out of it; of processes that share the grid
/// each has its own cells.
struct SaturatedMeans
{
  Vector            fraction; ///< per cell, i fastest: |D ∩ cell| / |cell|, D the saturated zone; exactly 1 in whole cells
  Eigen::MatrixXd   U;        ///< dim x cells: mean of U over D ∩ cell (m/s), 0 where it is empty
  std::vector<char> is_rough; ///< per cell: it or a cell beside it is cut, or holds a jump of U
  Motion            outside;  ///< of what is in the box and not saturated, of all processes
  double            error = 0.; ///< of |D| of all processes (m^dim), estimated; where D is the box at least what is missing
};

/// Means by Gauss's rule with 3 points per direction in whole cells where U is smooth, elsewhere by
/// geometry::for_rough_cell_means(). The point s of the grid lies at origin + frame s; `cells` has no origin of its own.
/// What lies between corners, centre and points of Gauss of a cell, and not beside another cut cell, may be overlooked.
/// Processes that share `cells` call together; sums are those of layers, and no digit depends on how many there are.
SaturatedMeans saturated_means(const Setting &setting, const BoxGrid &cells, const Eigen::MatrixXd &frame,
                               const Vector &origin, const Progress &progress = {});
} // namespace moreau::macro

#endif
