// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_APP_INPUT_CELL_MEANS_H
#define MOREAU_APP_INPUT_CELL_MEANS_H

#include "geometry/box_grid.h"

#include <functional>

namespace moreau::app
{
/// Calls use(cell, mean) for all own cells, from several threads: the means of
/// f over the cell, one number per component. f may jump:
/// 1D: to about 1e-13 of a cell and of the jump, by bisection, so that
/// segments have their exact lengths (those that are no shorter than a 32nd
///     of a cell; shorter ones may be overlooked);
/// 2D, 3D: 16 x 16 or 8 x 8 x 8 points in cells where it is not nearly linear,
/// Gauss's rule of 2 points per direction in others.
/// Where f or use throws, the exception of the first such cell comes through.
void for_cell_means(const geometry::BoxGrid &grid, const geometry::Field &f,
                    const std::function<void(const geometry::CellIndex &, const geometry::Vector &)> &use);
} // namespace moreau::app

#endif
