// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MACRO_DIRECTIONAL_LATTICES_RUNS_ON_LINES_H
#define MOREAU_MACRO_DIRECTIONAL_LATTICES_RUNS_ON_LINES_H

#include "macro/directional/lattices/aligned_grid.h"

namespace moreau::macro
{
class GridColumns;

/// The runs of the chains along an axis, line after line; lines are counted by their indices along the other axes, the first
/// of these fastest.
struct RunsOnLines
{
  /// A run of cells without a gap that a chain ties.
  struct Run
  {
    int    line;
    int    first, n; ///< cells first ... first + n-1 along the axis of the whole grid
    bool   wall_before, wall_after;
    double v_first = 0., v_last = 0.; ///< velocity along the axis in its first and its last cell (m/s), where asked for

    int end() const { return first + n; }
  };

  std::vector<Run> runs;  ///< ascending
  std::vector<int> begin; ///< of each line its first run; and how many there are

  /// n_lines: of the grid.
  RunsOnLines(std::vector<Run> runs, Index n_lines);
};

/// The line along an axis that a cell here lies on.
int line_of(const AlignedGrid &grid, CellIndex cell, int axis);

/// Of the chains here, which must be whole: lines along an axis across which processes do not share the grid.
RunsOnLines runs_on_lines(const AlignedGrid &grid, const convex::ChainFamilies::Family &family, int axis);

/// Of lines along the last axis of a grid that processes share, on all of them, with v_first and v_last. All call together.
///   family  chains along the last axis of columns.grid()
///   v       along the axis, of the nodes of columns.grid() (m/s)
RunsOnLines runs_of_all_columns(const GridColumns &columns, const convex::ChainFamilies::Family &family, const Vector &v,
                                const Processes &processes);
} // namespace moreau::macro

#endif
