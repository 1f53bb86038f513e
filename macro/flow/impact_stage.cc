// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/flow/impact_stage.h"

#include "macro/obstacle/solver.h"

#include <algorithm>
#include <optional>

namespace moreau::macro
{
namespace
{
/// The saturated zone and the projection on its cone.
class Zone
{
public:
  Zone(const FlowGrid &grid, const CellArray &rho, const CellArray &rho_max, const FaceCells &rho_D,
       const std::array<Vector, 3> &response)
      : grid(grid), inside(full_cells(grid, rho, rho_max)), f(grid.array())
  {
    add_edges(rho, rho_max);
    flux.fill(grid.array());
    for (int axis = 0; axis < grid.dim(); ++axis)
      {
        w[axis]         = grid.array();
        const Index   s = grid.stride(axis);
        const double *z = inside.values.data(), *capacity = grid.capacity(axis).data(), *d = rho_D[axis].values.data();
        const double *r      = response[axis].data();
        double       *weight = w[axis].values.data();
        grid.for_face_rows(axis, [&](const Index row, const CellIndex &, const Index n) {
          for (Index c = row; c < row + n; ++c)
            weight[c] = capacity[c] > 0. && (z[c] > 0. || z[c - s] > 0.) ? capacity[c] * r[c] / d[c] : 0.;
        });
        grid.exchange(w[axis]);
      }
  }

  /// -div(ρ̄u) on the zone, 0 elsewhere; the largest one (1/s).
  double approach(const FaceCells &u)
  {
    for (int axis = 0; axis < grid.dim(); ++axis)
      flux[axis].values = grid.capacity(axis).cwiseProduct(u[axis].values);
    negative_divergence(grid, flux, f);
    double most = 0.;
    grid.for_cell_rows([&](const Index row, const CellIndex &, const Index n) {
      for (Index c = row; c < row + n; ++c)
        {
          f.values(c) *= inside.values(c);
          most = std::max(most, f.values(c));
        }
    });
    return grid.box().processes.max(most);
  }

  /// Impulse of the projection of the velocity that approach() saw last. pi: a first guess; 0: none.
  CongestionSolver::Progress project(CellArray &pi, const double tolerance, const unsigned int max_iterations)
  {
    if (!solver)
      solver.emplace(grid.box(), grid.periodic(), face_arrays(grid, w), &inside);
    const bool cold = grid.box().processes.max(pi.values.maxCoeff()) <= 0.;
    return solver->solve(f, pi, tolerance, tolerance, max_iterations, cold);
  }

private:
  /// Cells that the edge of a saturated body cuts: the body on one side, nothing on the other. They move with it, else half
  /// a cell would go on as if there had been no impact.
  void add_edges(const CellArray &rho, const CellArray &rho_max)
  {
    constexpr double nothing = 1e-9;
    const CellArray  body    = inside;
    for (int axis = 0; axis < grid.dim(); ++axis)
      {
        const Index s       = grid.stride(axis);
        const auto  is_edge = [&](const Index c, const Index to_body) {
          const Index behind = c - to_body; // in the box, where there is room
          return body.values(c + to_body) > 0. && rho_max.values(behind) > 0. && rho.values(behind) <= nothing;
        };
        grid.for_cells([&](const Index c) {
          if (rho.values(c) > nothing && (is_edge(c, s) || is_edge(c, -s)))
            inside.values(c) = 1.;
        });
      }
    grid.exchange(inside);
  }

  const FlowGrid                 &grid;
  CellArray                       inside, f;
  FaceCells                       w, flux;
  std::optional<CongestionSolver> solver;
};
} // namespace

ImpactOutcome apply_impact_law(const FlowGrid &grid, const CellArray &rho, const CellArray &rho_max, const FaceCells &rho_D,
                               const std::array<Vector, 3> &response, const ImpactLaw &law, FaceCells &momentum,
                               CellArray &q)
{
  ImpactOutcome outcome;
  const double  cell = grid.box().h.minCoeff();
  FaceCells     u;
  u.fill(grid.array());
  face_velocities(grid, momentum, rho_D, u);
  Zone      zone(grid, rho, rho_max, rho_D, response);
  CellArray once = q;
  q.values.setZero();
  double       approach = zone.approach(u);
  const double scale    = approach;
  while (approach * cell > law.negligible && approach > law.tolerance * scale)
    {
      // what is repeated too often comes to rest
      outcome.collapsed = outcome.n_rebounds >= law.max_repetitions;
      const double e    = approach * cell > law.resting_speed && !outcome.collapsed ? law.restitution : 0.;
      // projections are cheap where they are linear, and what they leave adds up over the steps
      const double                     goal     = (e > 0. ? 1e-2 : 1e-4) * law.tolerance * approach;
      const CongestionSolver::Progress progress = zone.project(once, goal, law.max_iterations);
      ++outcome.n_solves;
      outcome.n_iterations += progress.effort.n_iterations;
      outcome.residual  = std::max(outcome.residual, progress.residual / scale);
      outcome.converged = outcome.converged && progress.residual <= law.tolerance * scale;
      once.values *= 1. + e;
      q.values += once.values;
      subtract_gradient(grid, once, response, momentum);
      if (!(e > 0.) || !outcome.converged)
        break;
      ++outcome.n_rebounds;
      once.values.setZero();
      face_velocities(grid, momentum, rho_D, u);
      approach = zone.approach(u);
    }
  return outcome;
}
} // namespace moreau::macro
