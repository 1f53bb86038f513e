// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/obstacle/line.h"

#include <cmath>

namespace moreau::macro
{
std::vector<Run> runs_of(const BoxZone &zone)
{
  const BoxGrid &grid = zone.grid;
  Vector         own(grid.own(0));
  for (Index i = 0; i < own.size(); ++i)
    own(i) = zone({grid.first + i, 0, 0});
  const Vector     saturated = gathered(grid.processes, own);
  std::vector<Run> runs;
  for (Index i = 0; i < saturated.size(); ++i)
    if (saturated(i) != 0.)
      {
        Index end = i;
        while (end < saturated.size() && saturated(end) != 0.)
          ++end;
        runs.push_back({i, end, zone.walls[0] && i == 0, zone.walls[1] && end == grid.n[0]});
        i = end;
      }
  return runs;
}

namespace
{
/// All cells of a ring: φ is unique up to a constant, and only what has mean 0 has a solution.
void solve_on_full_ring(const BoxZone &zone, const CellArray &f, const double tolerance, PoissonSolution &solution)
{
  const BoxGrid &grid = zone.grid;
  const Index    n    = grid.n[0];
  Vector         f_all(n), g = Vector::Zero(n + 1), phi = Vector::Zero(n);
  for (Index i = 0; i < n; ++i)
    f_all(i) = f({i, 0, 0});
  if (!(std::abs(f_all.mean()) <= tolerance * f_all.norm() / std::sqrt(static_cast<double>(n))))
    solution.effort.status = convex::Status::infeasible;
  f_all.array() -= f_all.mean();
  for (Index k = 1; k < n; ++k)
    g(k) = g(k - 1) + grid.h(0) * f_all(k - 1);
  g.head(n).array() -= g.head(n).mean();
  g(n) = g(0); // one face
  for (Index i = 0; i < n; ++i)
    {
      if (i > 0)
        phi(i) = phi(i - 1) - grid.h(0) * g(i);
      solution.phi({i, 0, 0}) = phi(i);
    }
  solution.minus_gradient.values[0] = g;
}

/// One process has a line that repeats itself.
PoissonSolution solve_poisson_on_ring(const BoxZone &zone, const CellArray &f, const double tolerance)
{
  const BoxGrid  &grid = zone.grid;
  const Index     n    = grid.n[0];
  PoissonSolution solution;
  solution.phi            = CellArray(grid);
  solution.minus_gradient = FaceArrays(grid);
  Index seam              = 0;
  while (seam < n && zone({seam, 0, 0}))
    ++seam;
  if (seam == n)
    solve_on_full_ring(zone, f, tolerance, solution);
  else
    {
      // opened where there is nothing
      const auto of_ring = [&](const Index i) { return CellIndex{(seam + i) % n, 0, 0}; };
      BoxZone    line(grid, Sides{});
      CellArray  f_line(grid);
      for (Index i = 0; i < n; ++i)
        {
          line.set({i, 0, 0}, zone(of_ring(i)));
          f_line({i, 0, 0}) = f(of_ring(i));
        }
      const PoissonSolution found = solve_poisson_on_line(line, f_line, tolerance);
      solution.effort             = found.effort;
      for (Index i = 0; i < n; ++i)
        {
          solution.phi(of_ring(i))               = found.phi({i, 0, 0});
          solution.minus_gradient(0, of_ring(i)) = found.minus_gradient(0, {i, 0, 0});
        }
      // the face behind the last cell is that before the seam, and the last one of the box the first
      solution.minus_gradient(0, of_ring(0)) = found.minus_gradient(0, {n, 0, 0});
      solution.minus_gradient(0, {n, 0, 0})  = solution.minus_gradient(0, {0, 0, 0});
    }
  update_ghosts(solution.phi, zone.periodic);
  return solution;
}
} // namespace

PoissonSolution solve_poisson_on_line(const BoxZone &zone, const CellArray &f, const double tolerance)
{
  if (zone.periodic[0])
    return solve_poisson_on_ring(zone, f, tolerance);
  const BoxGrid  &grid = zone.grid;
  const double    h    = grid.h(0);
  PoissonSolution solution;
  solution.phi            = CellArray(grid);
  solution.minus_gradient = FaceArrays(grid);
  Vector f_own(grid.own(0));
  for (Index i = 0; i < f_own.size(); ++i)
    f_own(i) = f({grid.first + i, 0, 0});
  const Vector f_all = gathered(grid.processes, f_own);

  Vector flux = Vector::Zero(grid.n[0] + 1), phi = Vector::Zero(grid.n[0]);
  for (const Run &run : runs_of(zone))
    {
      const Index n = run.end - run.begin;
      Vector      g = Vector::Zero(n + 1), theta = Vector::Ones(n + 1), f_run = f_all.segment(run.begin, n);
      if (run.wall_below && run.wall_above) // only what has mean 0 has a solution
        {
          if (!(std::abs(f_run.mean()) <= tolerance * f_run.norm() / std::sqrt(static_cast<double>(n))))
            solution.effort.status = convex::Status::infeasible;
          f_run.array() -= f_run.mean();
        }
      for (Index k = 0; k < n; ++k)
        g(k + 1) = g(k) + h * f_run(k);
      theta(0) = run.wall_below ? 0. : .5;
      theta(n) = run.wall_above ? 0. : .5;
      if (run.wall_above && !run.wall_below)
        g.array() -= g(n);
      else if (!run.wall_below)
        g.array() -= theta.dot(g) / theta.sum(); // φ comes back to 0
      flux.segment(run.begin, n + 1) = g;
      // from an open end
      auto p = phi.segment(run.begin, n);
      if (!run.wall_below)
        {
          p(0) = -theta(0) * h * g(0);
          for (Index k = 1; k < n; ++k)
            p(k) = p(k - 1) - h * g(k);
        }
      else
        {
          p(n - 1) = theta(n) * h * g(n);
          for (Index k = n - 1; k-- > 0;)
            p(k) = p(k + 1) + h * g(k + 1);
        }
    }
  for (Index i = grid.first; i < grid.last; ++i)
    solution.phi({i, 0, 0}) = phi(i);
  solution.phi.update_ghosts();
  solution.minus_gradient.values[0] = flux.segment(grid.first, grid.own(0) + 1);
  return solution;
}
} // namespace moreau::macro
