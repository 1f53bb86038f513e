// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_GEOMETRY_CELL_MEANS_H
#define MOREAU_GEOMETRY_CELL_MEANS_H

#include "geometry/box_grid.h"
#include "geometry/field.h"

namespace moreau::geometry
{
/// What is called with a cell, the mean over it, one number per component, and their estimated errors. From several threads.
using UseOfMean = std::function<void(const CellIndex &cell, const Vector &mean, const Vector &error)>;

/// Calls use(cell, mean, error) for all own cells. f may jump:
/// 1D: to about 1e-13 of a cell and of the jump, by bisection, so that segments have their exact lengths (those that are no
///     shorter than a 32nd of a cell; shorter ones may be overlooked);
/// 2D, 3D: in cells where jumps are seen, or are seen beside cells with jumps, by JumpingMean: to rounding for
///     straight edges, by quadrature for curved ones; in others where f is not nearly linear, and in all of these where so
///     many cells hold jumps that finding them would take too long, by 16 x 16 or 8 x 8 x 8 points; else by Gauss's rule of
///     2 points per direction. What is between corners, centre and points of Gauss of a cell may be overlooked.
/// All processes of the grid call it; the means do not depend on their number. Where f or use throws, the exception of the
/// first such cell comes through, on all processes if it is an InputError.
void for_cell_means(const BoxGrid &grid, const Field &f, const UseOfMean &use, const Progress &progress = {});

/// The same, and whether the mean comes from jumps that were found.
using UseOfRoughMean = std::function<void(const CellIndex &cell, const Vector &mean, const Vector &error, bool has_jump)>;

/// for_cell_means() only where that is due: in cells that are marked as rough (> 0), and beside these in cells with jumps.
/// Who marks has means of his own for all others.
void for_rough_cell_means(const BoxGrid &grid, const Field &f, CellArray &is_rough, const UseOfRoughMean &use,
                          const Progress &progress = {});
} // namespace moreau::geometry

#endif
