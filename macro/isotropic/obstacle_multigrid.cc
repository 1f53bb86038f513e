// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/isotropic/obstacle_multigrid.h"

#include "convex/certificate.h"
#include "convex/speed_unit.h"
#include "macro/isotropic/on_line.h"
#include "macro/obstacle/multigrid.h"
#include "macro/obstacle/nested_obstacle.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace moreau::macro
{
namespace
{
/// Rows and multipliers of a DivergenceConstraint on the cells of a BoxMultigrid. A wall face is the cell behind it.
/// Unknowns are x = p L^{d-1}, also for walls, so that W consists of links: the multiplier p_f |f| of a wall face and its
/// row are scaled by |f| / L^{d-1}.
class RowsOnCells
{
public:
  RowsOnCells(const DivergenceConstraint &B, const BoxMultigrid &multigrid) : B(B), box(multigrid.own())
  {
    const BoxGrid &grid = B.zone().grid;
    row_position.reserve(B.n_constraints());
    for_own_cells(grid, [&](const CellIndex &cell) {
      if (B.zone()(cell))
        row_position.push_back(multigrid.position(cell));
    });
    for (const WallFace &wall : B.wall_faces())
      {
        row_position.push_back(multigrid.position(moved(wall.cell, wall.axis, wall.outward < 0. ? -1 : 1)));
        wall_scale.push_back(grid.face_area(wall.axis) / std::pow(grid.cell_volume(), (grid.dim - 1.) / grid.dim));
      }
  }

  std::vector<char> unknowns() const
  {
    std::vector<char> result(box.size, 0);
    for (const Index c : row_position)
      result[c] = 1;
    return result;
  }

  /// Bv (velocities) -> cells
  std::vector<double> rows(const Vector &Bv) const
  {
    std::vector<double> result(box.size, 0.);
    for (Index row = 0; row < B.n_constraints(); ++row)
      result[row_position[row]] = scale(row) * Bv(row);
    return result;
  }

  std::vector<double> cells(const Vector &p) const
  {
    std::vector<double> result(box.size, 0.);
    for (Index row = 0; row < B.n_constraints(); ++row)
      result[row_position[row]] = std::max(p(row), 0.) / scale(row);
    return result;
  }

  Vector multipliers(const std::vector<double> &x) const
  {
    Vector result(B.n_constraints());
    for (Index row = 0; row < B.n_constraints(); ++row)
      result(row) = scale(row) * x[row_position[row]];
    return result;
  }

private:
  double scale(const Index row) const { return row < B.n_cells() ? 1. : wall_scale[row - B.n_cells()]; }

  const DivergenceConstraint &B;
  const LevelBox             &box;
  std::vector<Index>          row_position; ///< in the layout of BoxMultigrid::own()
  std::vector<double>         wall_scale;
};

std::string method(const unsigned int n_iterations)
{
  return "nested multigrid (" + std::to_string(n_iterations) + (n_iterations == 1 ? " iteration)" : " iterations)");
}

convex::SaddlePoint on_line(const convex::ProjectionProblem &problem, const DivergenceConstraint &B,
                            const convex::StoppingCriterion &criterion)
{
  convex::SaddlePoint x;
  x.p      = project_on_line(B, problem.U, problem.right_hand_side());
  x.u      = problem.velocity_of(x.p);
  x.status = convex::Status::converged;
  x.method = "isotonic regression";
  judge(problem, criterion, x);
  return x;
}
} // namespace

convex::SaddlePoint ObstacleMultigrid::project(const convex::ProjectionProblem &problem, const Vector *const p_start) const
{
  const auto *const B = dynamic_cast<const DivergenceConstraint *>(problem.B.get());
  if (!B)
    throw std::invalid_argument("ObstacleMultigrid: B must be a DivergenceConstraint.");
  const BoxZone &zone = B->zone();
  if (zone.grid.dim == 1)
    return on_line(problem, *B, criterion);

  const BoxMultigrid      multigrid(zone.grid, zone.walls, zone.walls, zone.periodic);
  const RowsOnCells       rows(*B, multigrid);
  const std::vector<char> is_unknown = rows.unknowns();
  Vector                  BU(B->n_constraints());
  B->apply(problem.U, BU);
  if (problem.b.size() > 0)
    BU -= problem.b;
  const double speed = convex::typical_speed(problem);
  int          unit  = 0; // speeds are in 2^unit m/s: coarse levels are in single precision
  if (std::isfinite(speed))
    std::frexp(speed, &unit);
  BU = convex::times_power_of_two(BU, -unit);
  LinkObstacle obstacle(multigrid.chain().boxes[0]);
  obstacle.f          = multigrid.to_level(rows.rows(BU));
  obstacle.A          = multigrid.links(B->relative_masses(), is_unknown);
  obstacle.is_unknown = multigrid.to_level(is_unknown);
  obstacle.is_closed  = is_closed(zone);
  NestedObstacle solver(multigrid.chain(), std::move(obstacle));

  std::vector<double> cells =
      p_start ? multigrid.to_level(rows.cells(convex::times_power_of_two(*p_start, -unit))) : solver.start();
  const auto goal_in_unit = [&](const double goal) { return std::ldexp(goal * speed, -unit); };
  // a bound of 1e-6 needs residuals well below: they are velocity differences across one cell
  double              goal       = criterion.on_natural_residual ? criterion.tolerance : 1e-3 * criterion.tolerance;
  double              last_bound = std::numeric_limits<double>::infinity();
  convex::SaddlePoint x;
  solver.watch = [&](const double residual) { criterion.watch(std::ldexp(residual, unit), goal * speed); };
  while (true)
    {
      const convex::Effort effort = solver.iterate(cells, goal_in_unit(goal), criterion.max_iterations - x.n_iterations);
      x.n_iterations += effort.n_iterations;
      x.p      = convex::times_power_of_two(rows.multipliers(multigrid.to_own(cells)), unit);
      x.u      = problem.velocity_of(x.p);
      x.method = method(x.n_iterations);
      // below rounding errors there is nothing to gain, even where the residual becomes 0
      const bool at_end = effort.status == convex::Status::stagnated || goal < std::numeric_limits<double>::epsilon();
      x.status          = at_end ? convex::Status::stagnated : convex::Status::iteration_limit;
      judge(problem, criterion, x);
      if (x.converged() || at_end || x.n_iterations >= criterion.max_iterations)
        return x;
      // a residual that fell and a bound that did not: the bound is at its floor
      constexpr double small_residual = 1e-10, progress = .7;
      if (x.certificate.natural_residual <= small_residual && !(x.certificate.relative_error_bound < progress * last_bound))
        {
          x.status = convex::Status::stagnated;
          return x;
        }
      last_bound = x.certificate.relative_error_bound;
      goal *= .1;
    }
}
} // namespace moreau::macro
