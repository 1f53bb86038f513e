// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/obstacle/line.h"

#include "convex/solvers/isotonic_regression.h"

#include <algorithm>
#include <cmath>

namespace moreau::macro
{
Vector gathered(const Processes &processes, const Vector &own)
{
  if (processes.size() == 1)
    return own;
  const int        n = static_cast<int>(own.size());
  std::vector<int> count(processes.size()), begin(processes.size(), 0);
  MPI_Allgather(&n, 1, MPI_INT, count.data(), 1, MPI_INT, processes.communicator());
  for (int rank = 1; rank < processes.size(); ++rank)
    begin[rank] = begin[rank - 1] + count[rank - 1];
  Vector all(begin.back() + count.back());
  MPI_Allgatherv(own.data(), n, MPI_DOUBLE, all.data(), count.data(), begin.data(), MPI_DOUBLE, processes.communicator());
  return all;
}

namespace
{
Index n_own_faces(const BoxGrid &grid) { return grid.own(0) + (grid.last == grid.n[0]); }

/// Saturated cells begin ... end-1 and the walls behind them.
struct Run
{
  Index begin, end;
  bool  wall_below, wall_above;
};

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
} // namespace

Vector project_on_line(const DivergenceConstraint &B, const Vector &U, const Vector &b)
{
  const BoxGrid &grid  = B.zone().grid;
  Vector         U_own = Vector::Zero(n_own_faces(grid)), m_own = U_own, b_own = Vector::Zero(grid.own(0));
  for (Index i = 0; i < U_own.size(); ++i)
    if (const Index unknown = B.unknown(0, i); unknown != DivergenceConstraint::none)
      {
        U_own(i) = U(unknown);
        m_own(i) = B.masses()(unknown);
      }
  for (Index c = 0; c < B.n_cells(); ++c)
    b_own(B.cell_positions()[c] - 1) = b(c); // one ghost cell comes first
  double b_below = 0., b_above = 0.;
  for (std::size_t w = 0; w < B.wall_faces().size(); ++w)
    (B.wall_faces()[w].outward < 0. ? b_below : b_above) = b(B.n_cells() + static_cast<Index>(w));
  b_below            = grid.processes.sum(b_below);
  b_above            = grid.processes.sum(b_above);
  const Vector U_all = gathered(grid.processes, U_own), m_all = gathered(grid.processes, m_own),
               b_all = gathered(grid.processes, b_own);

  Vector q_all   = Vector::Zero(grid.n[0]);
  double q_below = 0., q_above = 0.;
  for (const Run &run : runs_of(B.zone()))
    {
      // v + s increases, s_{k+1} = s_k + b_k
      const Index n = run.end - run.begin;
      Vector      s = Vector::Zero(n + 1);
      for (Index k = 0; k < n; ++k)
        s(k + 1) = s(k) + b_all(run.begin + k);
      const Vector m = m_all.segment(run.begin, n + 1), shifted = U_all.segment(run.begin, n + 1) + s;
      Vector       v = convex::isotonic_regression(shifted, m);
      if (run.wall_below)
        v = v.cwiseMax(-b_below);
      if (run.wall_above)
        v = v.cwiseMin(b_above + s(n));
      // M(U - u) = Bᵀq: running sums from an end where q is known
      const Vector impulse = m.cwiseProduct(shifted - v);
      auto         q       = q_all.segment(run.begin, n);
      if (!run.wall_below)
        {
          q = convex::multiplier_of_line(shifted, v, m);
          if (run.wall_above)
            q_above = std::max(q(n - 1) + impulse(n), 0.);
        }
      else
        {
          double sum = 0.; // what stays up to a constant between two walls
          for (Index k = n; k-- > 0;)
            q(k) = sum -= impulse(k + 1);
          q_below = sum - impulse(0);
          if (run.wall_above)
            {
              const double least = std::min({q.minCoeff(), q_below, 0.});
              q.array() -= least;
              q_below -= least;
              q_above = -least;
            }
          q_below = std::max(q_below, 0.);
        }
      q = q.cwiseMax(0.);
    }

  Vector q(B.n_constraints());
  for (Index c = 0; c < B.n_cells(); ++c)
    q(c) = q_all(grid.first + B.cell_positions()[c] - 1);
  for (std::size_t w = 0; w < B.wall_faces().size(); ++w)
    q(B.n_cells() + static_cast<Index>(w)) = B.wall_faces()[w].outward < 0. ? q_below : q_above;
  return q;
}

PoissonSolution solve_poisson_on_line(const BoxZone &zone, const CellArray &f, const double tolerance)
{
  const BoxGrid  &grid = zone.grid;
  const double    h    = grid.h(0);
  PoissonSolution solution;
  solution.phi            = CellArray(grid);
  solution.minus_gradient = FaceArrays(grid);
  solution.converged      = true;
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
          solution.converged = std::abs(f_run.mean()) <= tolerance * f_run.norm() / std::sqrt(static_cast<double>(n));
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
