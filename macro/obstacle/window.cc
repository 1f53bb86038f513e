// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/obstacle/window.h"

#include <algorithm>
#include <stdexcept>

namespace moreau::macro
{
namespace
{
constexpr Index one_eighth = 8, half = 2; ///< shares of a part

Index volume(const CellIndex &begin, const CellIndex &end)
{
  return (end[0] - begin[0]) * (end[1] - begin[1]) * (end[2] - begin[2]);
}
} // namespace

CongestionWindow::CongestionWindow(const BoxGrid &grid, const std::array<bool, 3> &periodic, const FaceArrays &weights,
                                   const CellArray *const unknown)
    : grid(grid), periodic(periodic), weights(weights)
{
  if (unknown)
    this->unknown = *unknown;
}

CongestionSolver::Progress CongestionWindow::solve(const CellArray &f, CellArray &pi, const double tolerance,
                                                   const double excess_tolerance, const unsigned int max_iterations,
                                                   const bool nested)
{
  if (unknown)
    for_own_cells(grid, [&](const CellIndex &cell) {
      if ((*unknown)(cell) == 0.)
        pi(cell) = 0.;
    });
  if (!pressed(f))
    {
      for_own_cells(grid, [&](const CellIndex &cell) { pi(cell) = 0.; });
      return {};
    }
  const Part needed = around(f, pi);
  if (!suits(needed))
    open(widened(needed, one_eighth));
  CellArray                  f_part, pi_part;
  CongestionSolver::Progress progress;
  std::int64_t               n_iterations = 0;
  bool                       from_coarse  = nested;
  while (true)
    {
      f_part = pi_part = CellArray(part_grid);
      for_own_cells(part_grid, [&](const CellIndex &cell) {
        const CellIndex there = {cell[0] + part.begin[0], cell[1] + part.begin[1], cell[2] + part.begin[2]};
        f_part(cell)          = f(there);
        pi_part(cell)         = pi(there);
      });
      // π = 0 is no start worth the name; nor is the solution on a smaller part that came from it
      from_coarse = from_coarse || !(grid.processes.max(pi_part.values.maxCoeff()) > 0.);
      progress    = solver->solve(f_part, pi_part, tolerance, excess_tolerance, max_iterations, from_coarse);
      n_iterations += progress.effort.n_iterations;
      for_own_cells(part_grid, [&](const CellIndex &cell) {
        pi({cell[0] + part.begin[0], cell[1] + part.begin[1], cell[2] + part.begin[2]}) = pi_part(cell);
      });
      if (!touched(pi_part))
        break;
      open(widened(part, half));
    }
  progress.effort.n_iterations = n_iterations;
  return progress;
}

bool CongestionWindow::is_unknown(const CellIndex &cell) const { return !unknown || (*unknown)(cell) != 0.; }

bool CongestionWindow::pressed(const CellArray &f) const
{
  bool any = false;
  for_own_cells(grid, [&](const CellIndex &cell) { any = any || f(cell) > 0. && is_unknown(cell); });
  return grid.processes.max(any) > 0.;
}

/// The cells where f > 0 or π > 0, of which there are some; all layers of an axis that processes share.
CongestionWindow::Part CongestionWindow::around(const CellArray &f, const CellArray &pi) const
{
  Part result{grid.n, {0, 0, 0}};
  for_own_cells(grid, [&](const CellIndex &cell) {
    if (f(cell) > 0. && is_unknown(cell) || pi(cell) != 0.)
      for (int axis = 0; axis < 3; ++axis)
        {
          result.begin[axis] = std::min(result.begin[axis], cell[axis]);
          result.end[axis]   = std::max(result.end[axis], cell[axis] + 1);
        }
  });
  const Processes &processes = grid.processes;
  for (int axis = 0; axis < 3; ++axis)
    {
      result.begin[axis] = static_cast<Index>(-processes.max(-static_cast<double>(result.begin[axis])));
      result.end[axis]   = static_cast<Index>(processes.max(static_cast<double>(result.end[axis])));
    }
  if (processes.size() > 1)
    {
      result.begin[grid.last_axis()] = 0;
      result.end[grid.last_axis()]   = grid.n[grid.last_axis()];
    }
  return result;
}

/// With room to grow on all sides: a `share`th of what there is.
CongestionWindow::Part CongestionWindow::widened(Part part, const Index share) const
{
  constexpr Index least = 8, multiple = 8; // coarse levels like even numbers
  for (int axis = 0; axis < grid.dim; ++axis)
    {
      const Index n = grid.n[axis], margin = std::max(least, (part.end[axis] - part.begin[axis]) / share);
      part.begin[axis] = std::max<Index>(part.begin[axis] - margin, 0) / multiple * multiple;
      part.end[axis]   = std::min(n, (part.end[axis] + margin + multiple - 1) / multiple * multiple);
      if (4 * (part.end[axis] - part.begin[axis]) > 3 * n) // hardly less than all
        {
          part.begin[axis] = 0;
          part.end[axis]   = n;
        }
    }
  return part;
}

std::vector<std::int64_t> CongestionWindow::memory() const
{
  if (!solver)
    return {};
  return {part.begin[0], part.end[0], part.begin[1], part.end[1], part.begin[2], part.end[2]};
}

void CongestionWindow::remember(const std::vector<std::int64_t> &memory)
{
  solver.reset();
  if (memory.empty())
    return;
  Part there;
  bool fits = memory.size() == 6;
  for (int axis = 0; axis < 3 && fits; ++axis)
    {
      there.begin[axis] = memory[2 * axis];
      there.end[axis]   = memory[2 * axis + 1];
      fits              = there.begin[axis] >= 0 && there.begin[axis] < there.end[axis] && there.end[axis] <= grid.n[axis];
    }
  if (!fits)
    throw std::invalid_argument("CongestionWindow: the part is not one of this box.");
  open(there);
}

/// Whether the part that there is contains the cells, and is not much too large.
bool CongestionWindow::suits(const Part &needed) const
{
  if (!solver)
    return false;
  for (int axis = 0; axis < grid.dim; ++axis)
    if (is_cut(axis, 0) && needed.begin[axis] <= part.begin[axis] || is_cut(axis, 1) && needed.end[axis] >= part.end[axis])
      return false;
  const Part      fresh     = widened(needed, one_eighth);
  constexpr Index too_large = 3;
  return volume(part.begin, part.end) <= too_large * volume(fresh.begin, fresh.end);
}

void CongestionWindow::open(const Part &wanted)
{
  part      = wanted;
  part_grid = grid;
  for (int axis = 0; axis < grid.dim; ++axis)
    part_grid.n[axis] = part.end[axis] - part.begin[axis];
  if (grid.processes.size() == 1)
    part_grid.last = part_grid.n[grid.last_axis()];
  const auto there = [&](const CellIndex &index) {
    return CellIndex{index[0] + part.begin[0], index[1] + part.begin[1], index[2] + part.begin[2]};
  };
  FaceArrays          part_weights(part_grid);
  std::array<bool, 3> part_periodic = periodic;
  for (int axis = 0; axis < grid.dim; ++axis)
    {
      part_periodic[axis] = periodic[axis] && part_grid.n[axis] == grid.n[axis];
      BoxGrid faces       = part_grid; // both sides of process borders
      faces.n[axis] += 1;
      faces.last += axis == grid.last_axis();
      for_own_cells(faces, [&](const CellIndex &face) { part_weights(axis, face) = weights(axis, there(face)); });
    }
  CellArray part_unknown(part_grid);
  if (unknown)
    for_own_cells(part_grid, [&](const CellIndex &cell) { part_unknown(cell) = (*unknown)(there(cell)); });
  solver = std::make_unique<BoxCongestion>(part_grid, part_periodic, part_weights, unknown ? &part_unknown : nullptr);
}

/// Whether the part ends at a lower (0) or upper (1) end of an axis although the box does not.
bool CongestionWindow::is_cut(const int axis, const int end) const
{
  if (part_grid.n[axis] == grid.n[axis])
    return false;
  return periodic[axis] || (end == 0 ? part.begin[axis] > 0 : part.end[axis] < grid.n[axis]);
}

/// Whether π > 0 next to what was cut off.
bool CongestionWindow::touched(const CellArray &pi) const
{
  Index n_touched = 0;
  for (int axis = 0; axis < grid.dim; ++axis)
    for (const int end : {0, 1})
      if (is_cut(axis, end)) // never along an axis that processes share
        {
          BoxGrid layer = part_grid;
          layer.n[axis] = 1;
          if (axis == grid.last_axis())
            layer.last = 1;
          for_own_cells(layer, [&](CellIndex cell) {
            cell[axis] = end == 0 ? 0 : part_grid.n[axis] - 1;
            n_touched += pi(cell) > 0.;
          });
        }
  return grid.processes.sum(n_touched) > 0;
}
} // namespace moreau::macro
