// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/directional/lattices/runs_on_lines.h"

#include "macro/directional/lattices/grid_columns.h"
#include "parallel/collectives.h"

#include <algorithm>
#include <tuple>

namespace moreau::macro
{
namespace
{
using Run = RunsOnLines::Run;

/// Cells along an axis of the whole grid.
Index n_along(const AlignedGrid &grid, const int axis) { return axis == grid.layers.axis ? grid.layers.all : grid.n[axis]; }

Index n_lines_along(const AlignedGrid &grid, const int axis)
{
  Index n = 1;
  for (int a = 0; a < grid.dim; ++a)
    if (a != axis)
      n *= n_along(grid, a);
  return n;
}

Run run_of(const AlignedGrid &grid, const convex::ChainFamilies::Family &family, const int axis, const Index r)
{
  constexpr int   none  = convex::ChainFamilies::none;
  const int       begin = family.run_start[r], n = family.run_start[r + 1] - begin;
  const CellIndex first = grid.cell_index(grid.cell_of_node[family.node[begin]]);
  return {line_of(grid, first, axis), static_cast<int>(first[axis]), n, family.row_before[r] != none,
          family.row_after[r] != none};
}
} // namespace

int line_of(const AlignedGrid &grid, CellIndex cell, const int axis)
{
  cell[grid.layers.axis] += grid.layers.below;
  Index line = 0, stride = 1;
  for (int a = 0; a < grid.dim; ++a)
    if (a != axis)
      {
        line += stride * cell[a];
        stride *= n_along(grid, a);
      }
  return static_cast<int>(line);
}

RunsOnLines::RunsOnLines(std::vector<Run> given, const Index n_lines) : runs(std::move(given)), begin(n_lines + 1, 0)
{
  for (const Run &run : runs)
    ++begin[run.line + 1];
  for (Index line = 0; line < n_lines; ++line)
    begin[line + 1] += begin[line];
}

RunsOnLines runs_on_lines(const AlignedGrid &grid, const convex::ChainFamilies::Family &family, const int axis)
{
  std::vector<Run> runs;
  runs.reserve(family.n_runs());
  for (Index r = 0; r < family.n_runs(); ++r)
    runs.push_back(run_of(grid, family, axis, r));
  return {std::move(runs), n_lines_along(grid, axis)};
}

RunsOnLines runs_of_all_columns(const GridColumns &columns, const convex::ChainFamilies::Family &family, const Vector &v,
                                const Processes &processes)
{
  constexpr int      n_numbers = 7;
  const AlignedGrid &grid      = columns.grid();
  const int          axis      = grid.dim - 1;
  parallel::List     own;
  for (Index r = 0; r < family.n_runs(); ++r)
    {
      const int   first = family.node[family.run_start[r]], last = family.node[family.run_start[r + 1] - 1];
      const Index i = grid.cell_index(grid.cell_of_node[first])[0];
      if (i < grid.layers.first || i >= grid.layers.last)
        continue;
      const Run run = run_of(grid, family, axis, r);
      for (const double number :
           {static_cast<double>(run.line), static_cast<double>(run.first), static_cast<double>(run.n),
            static_cast<double>(run.wall_before), static_cast<double>(run.wall_after), v(first), v(last)})
        own.push_back(number);
    }
  const parallel::List all = parallel::on_all(processes, own);
  std::vector<Run>     runs;
  for (std::size_t at = 0; at < all.size(); at += n_numbers)
    runs.push_back({static_cast<int>(all[at]), static_cast<int>(all[at + 1]), static_cast<int>(all[at + 2]),
                    all[at + 3] > 0., all[at + 4] > 0., all[at + 5], all[at + 6]});
  std::sort(runs.begin(), runs.end(),
            [](const Run &a, const Run &b) { return std::tie(a.line, a.first) < std::tie(b.line, b.first); });
  return {std::move(runs), n_lines_along(grid, axis)};
}
} // namespace moreau::macro
