// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/obstacle/poisson.h"

#include "macro/obstacle/line.h"
#include "macro/obstacle/multigrid.h"
#include "macro/obstacle/link_solver.h"

#include <cmath>

namespace moreau::macro
{
namespace
{
/// θ as in DivergenceConstraint; 0 on walls, which flux does not cross.
FaceArrays link_lengths(const BoxZone &zone)
{
  FaceArrays theta(zone.grid);
  for (int axis = 0; axis < zone.grid.dim; ++axis)
    {
      BoxGrid faces = zone.grid; // both sides of process borders
      faces.n[axis] += 1;
      faces.last += axis == zone.grid.last_axis();
      for_own_cells(faces, [&](const CellIndex &face) {
        const bool wall =
            zone.walls[2 * axis] && face[axis] == 0 || zone.walls[2 * axis + 1] && face[axis] == zone.grid.n[axis];
        theta(axis, face) = wall ? 0. : .5 * (zone(moved(face, axis, -1)) + zone(face));
      });
    }
  return theta;
}

/// In a closed box only what has mean 0 has a solution; false where f is something else.
bool remove_mean(const BoxGrid &grid, const double tolerance, const std::vector<char> &is_unknown, std::vector<double> &f)
{
  double sum = 0., squares = 0.;
  for (const double value : f)
    {
      sum += value;
      squares += value * value;
    }
  const double n = static_cast<double>(grid.n_cells()), mean = grid.processes.sum(sum) / n;
  for (std::size_t c = 0; c < f.size(); ++c)
    if (is_unknown[c])
      f[c] -= mean;
  return std::abs(mean) <= tolerance * std::sqrt(grid.processes.sum(squares) / n);
}
} // namespace

PoissonSolution solve_poisson(const BoxZone &zone, const CellArray &f, const double tolerance)
{
  const BoxGrid &grid = zone.grid;
  if (grid.dim == 1)
    return solve_poisson_on_line(zone, f, tolerance);
  const FaceArrays theta = link_lengths(zone);
  PoissonSolution  solution;
  solution.phi            = CellArray(grid);
  solution.minus_gradient = FaceArrays(grid);

  const double        L = std::pow(grid.cell_volume(), 1. / grid.dim), unit = std::pow(L, grid.dim - 1);
  const BoxMultigrid  multigrid(grid, Sides{}, zone.walls, zone.periodic);
  const LevelBox     &own = multigrid.own();
  std::vector<char>   is_unknown(own.size, 0);
  std::vector<double> right_side(own.size, 0.), x;
  for_own_cells(grid, [&](const CellIndex &cell) {
    if (!zone(cell))
      return;
    const Index c = multigrid.position(cell);
    is_unknown[c] = 1;
    right_side[c] = L * f(cell);
  });
  const bool         solvable = !is_closed(zone) || remove_mean(grid, tolerance, is_unknown, right_side);
  const LinkOperator A        = multigrid.links(theta, is_unknown);
  CoarseCorrection   coarse(multigrid.chain());
  if (multigrid.chain().boxes.size() > 1)
    coarse.set_operator(0, A, multigrid.to_level(is_unknown));
  solution.effort = LinkSolver(multigrid.chain(), A, coarse).solve(multigrid.to_level(right_side), tolerance, x);
  if (!solvable)
    solution.effort.status = convex::Status::infeasible;
  x = multigrid.to_own(std::move(x));
  for_own_cells(grid, [&](const CellIndex &cell) {
    if (zone(cell))
      solution.phi(cell) = x[multigrid.position(cell)] / unit;
  });
  update_ghosts(solution.phi, zone.periodic);

  for (int axis = 0; axis < grid.dim; ++axis)
    {
      BoxGrid faces = grid; // both sides of process borders
      faces.n[axis] += 1;
      faces.last += axis == grid.last_axis();
      for_own_cells(faces, [&](const CellIndex &face) {
        if (const double length = theta(axis, face) * grid.h(axis); length > 0.)
          solution.minus_gradient(axis, face) = (solution.phi(moved(face, axis, -1)) - solution.phi(face)) / length;
      });
    }
  return solution;
}
} // namespace moreau::macro
