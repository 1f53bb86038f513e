// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/obstacle/on_box.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace moreau::macro
{
namespace
{
/// Sides that are closed for the most part.
Sides closed_sides(const BoxGrid &grid, const FaceArrays &weights)
{
  Sides sides = {};
  for (int axis = 0; axis < grid.dim; ++axis)
    for (const int end : {0, 1})
      {
        const Index layer    = end == 0 ? 0 : grid.n[axis];
        Index       n_closed = 0, n = 0;
        BoxGrid     faces = grid;
        if (axis == grid.last_axis())
          {
            const bool here = end == 0 ? grid.first == 0 : grid.last == grid.n[axis];
            faces.first     = layer;
            faces.last      = here ? layer + 1 : layer;
          }
        else
          faces.n[axis] = 1;
        for_own_cells(faces, [&](CellIndex face) {
          face[axis] = layer;
          n_closed += !(weights(axis, face) > 0.);
          ++n;
        });
        sides[2 * axis + end] = 2 * grid.processes.sum(n_closed) > grid.processes.sum(n);
      }
  return sides;
}

/// No links from a cell to itself.
FaceArrays without_loops(const BoxGrid &grid, const std::array<bool, 3> &periodic, FaceArrays weights)
{
  for (int axis = 0; axis < grid.dim; ++axis)
    if (periodic[axis] && grid.n[axis] == 1)
      weights.values[axis].setZero();
  return weights;
}
} // namespace

BoxCongestion::BoxCongestion(const BoxGrid &grid, const std::array<bool, 3> &periodic, const FaceArrays &weights,
                             const CellArray *const unknown)
    : grid(grid)
    , multigrid(grid, Sides{}, closed_sides(grid, weights), periodic)
    , obstacle(multigrid.chain(), make_obstacle(without_loops(grid, periodic, weights), unknown))
{}

CongestionSolver::Progress BoxCongestion::solve(const CellArray &f, CellArray &pi, const double tolerance,
                                                const double excess_tolerance, const unsigned int max_iterations,
                                                const bool nested)
{
  const LevelBox     &own = multigrid.own();
  std::vector<double> f_own(own.size, 0.), x_own(own.size, 0.);
  for_own_cells(grid, [&](const CellIndex &cell) {
    const Index c = multigrid.position(cell);
    f_own[c]      = f(cell);
    x_own[c]      = std::max(pi(cell), 0.);
  });
  const std::vector<double>  right_side = multigrid.to_level(std::move(f_own));
  std::vector<double>        x          = multigrid.to_level(std::move(x_own));
  const std::vector<double> &diagonal   = obstacle.obstacle().A.diagonal;
  for (std::size_t c = 0; c < x.size(); ++c)
    if (!(diagonal[c] > 0.))
      x[c] = 0.;

  std::vector<double> possible = right_side;
  if (const Pockets &pockets = obstacle.obstacle().pockets; !pockets.empty())
    pockets.remove_positive_means(multigrid.chain().boxes[0], possible);
  obstacle.set_right_hand_side(std::move(possible));
  if (nested)
    {
      // on coarser grids, solids may enclose cells that have more pressed into them than there is room
      std::vector<double> from_coarse = obstacle.start();
      if (obstacle.energy(from_coarse) < obstacle.energy(x))
        x.swap(from_coarse);
    }
  // the residual of the obstacle counts πA_cc by half
  const double               goal = std::min(.5 * tolerance, excess_tolerance);
  CongestionSolver::Progress progress;
  progress.effort = obstacle.iterate_closely(x, goal, max_iterations);
  judge(right_side, x, tolerance, excess_tolerance, progress);
  x = multigrid.to_own(std::move(x));
  for_own_cells(grid, [&](const CellIndex &cell) { pi(cell) = x[multigrid.position(cell)]; });
  return progress;
}

LinkObstacle BoxCongestion::make_obstacle(const FaceArrays &weights, const CellArray *const unknown) const
{
  std::vector<char> is_unknown(multigrid.own().size, 0);
  for_own_cells(grid,
                [&](const CellIndex &cell) { is_unknown[multigrid.position(cell)] = !unknown || (*unknown)(cell) != 0.; });
  std::array<double, 3> unit = {0., 0., 0.};
  for (int axis = 0; axis < grid.dim; ++axis)
    unit[axis] = 1. / (grid.h(axis) * grid.h(axis));
  const LevelBox &box = multigrid.chain().boxes[0];
  LinkObstacle    result(box);
  result.A          = multigrid.weighted_links(unit, weights, is_unknown);
  result.is_unknown = multigrid.to_level(is_unknown);
  result.A.leaves.clear(); // too few to be worth a special treatment
  result.is_closed = !is_open(result);
  if (result.is_closed || is_divided(result))
    result.pockets = Pockets(box, result.A, result.is_unknown);
  return result;
}

template <class F>
void BoxCongestion::for_unknowns(const LinkObstacle &obstacle, F &&f) const
{
  const LevelBox &box = multigrid.chain().boxes[0];
  box.for_rows([&](const Index row, Index, Index) {
    for (Index c = row; c < row + box.n[0]; ++c)
      if (obstacle.is_unknown[c])
        f(c);
  });
}

/// Whether a link leads to π = 0.
bool BoxCongestion::is_open(const LinkObstacle &obstacle) const
{
  const LevelBox &box    = multigrid.chain().boxes[0];
  Index           n_open = 0;
  for_unknowns(obstacle, [&](const Index c) {
    for (int axis = 0; axis < box.dim; ++axis)
      {
        const Index s = box.stride[axis];
        n_open += obstacle.A.w[axis][c] > 0. && !obstacle.is_unknown[c - s];
        n_open += obstacle.A.w[axis][c + s] > 0. && !obstacle.is_unknown[c + s];
      }
  });
  return box.processes.sum(n_open) > 0;
}

/// Whether there are closed faces between unknowns.
bool BoxCongestion::is_divided(const LinkObstacle &obstacle) const
{
  const LevelBox &box      = multigrid.chain().boxes[0];
  Index           n_closed = 0;
  for_unknowns(obstacle, [&](const Index c) {
    for (int axis = 0; axis < box.dim; ++axis)
      n_closed += !(obstacle.A.w[axis][c] > 0.) && obstacle.is_unknown[c - box.stride[axis]];
  });
  return box.processes.sum(n_closed) > 0;
}

void BoxCongestion::judge(const std::vector<double> &f, const std::vector<double> &x, const double tolerance,
                          const double excess_tolerance, CongestionSolver::Progress &progress) const
{
  const LevelBox     &box      = multigrid.chain().boxes[0];
  const LinkObstacle &o        = obstacle.obstacle();
  double              residual = 0., excess = 0., size = 0.;
  for_residual_rows(box, o.A, f, x, [&](const Index row, const double *const r) {
    for (Index i = 0; i < box.n[0]; ++i)
      if (const Index c = row + i; o.is_unknown[c])
        {
          const double too_much = (o.A.diagonal[c] > 0. ? r[i] : f[c]);
          size                  = std::max(size, o.A.diagonal[c] * x[c]);
          excess                = std::max(excess, too_much);
          residual              = std::max(residual, std::abs(std::min(o.A.diagonal[c] * x[c], -too_much)));
        }
  });
  progress.residual = box.processes.max(residual);
  progress.excess   = box.processes.max(excess);
  const bool fine   = is_fine(progress, tolerance, excess_tolerance, box.processes.max(size));
  if (fine || progress.effort.converged())
    progress.effort.status = fine ? convex::Status::converged : convex::Status::stagnated;
}

bool is_fine(const CongestionSolver::Progress &progress, const double tolerance, const double excess_tolerance,
             const double size)
{
  const double rounding = 4. * std::numeric_limits<double>::epsilon() * size;
  return progress.residual <= std::max(tolerance, rounding) && progress.excess <= std::max(excess_tolerance, rounding);
}
} // namespace moreau::macro
