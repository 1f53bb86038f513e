// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/isotropic/shape_certificate.h"
#include "macro/obstacle/poisson.h"
#include "geometry/box_rows.h"
#include "geometry/quadrature.h"

#include <algorithm>
#include <cmath>

namespace moreau::macro
{
namespace
{
/// From here on (in cells from the boundary) the solver's face means are better than those of U - ∇(wq), whose divergence
/// is smeared where p sets in.
constexpr double deep = 3.;

/// Is the cell one where p > 0? There div v has to be 0.
bool in_contact(const ShapeZone &zone, const StaggeredSolution &x, const CellArray &q, const CellIndex &cell)
{
  return (zone.inside(cell) ? x.p(cell) : q(cell)) > 0.;
}

bool is_deep(const ShapeFunction &w, const ShapeZone &zone, const CellIndex &cell)
{
  return zone.inside(cell) && w.depth()(cell) >= deep;
}

/// The solver's face means deep inside, those of U - ∇p on the other faces of touched cells, those of U elsewhere.
FaceArrays momentum_means(const ShapeFunction &w, const ShapeZone &zone, const StaggeredSolution &x, const BoxPressure &p)
{
  const BoxZone      &touched = zone.touched;
  const BoxGrid      &grid    = touched.grid;
  FaceArrays          means   = x.U;
  std::array<Rule, 6> rules;
  for (int side = 0; side < 2 * grid.dim; ++side)
    {
      rules[side] = face_rule(3, grid.dim, side / 2);
      rules[side].points.row(side / 2).setConstant(side % 2);
    }
  // every face by the cell below it, but the first ones of the zone and of this process
  for_own_rows(grid, [&](Index, const Row &row) {
    Vector          ignored;
    Eigen::MatrixXd gradient;
    for (CellIndex cell = row.begin; cell[0] < row.end; ++cell[0])
      for (int side = 0; side < 2 * grid.dim && touched(cell); ++side)
        {
          const int       axis  = side / 2;
          const CellIndex below = moved(cell, axis, -1), other = side % 2 ? moved(cell, axis, 1) : below,
                          face = moved(cell, axis, side % 2);
          if (side % 2 == 0 && touched(below) && !(axis == grid.last_axis() && below[axis] < grid.first))
            continue;
          const bool beyond = other[axis] < 0 || other[axis] >= grid.n[axis];
          if (is_deep(w, zone, cell) && (beyond || is_deep(w, zone, other)))
            {
              means(axis, face) = x.u(axis, face);
              continue;
            }
          p.evaluate(cell, rules[side].points, ignored, gradient);
          means(axis, face) -= gradient.row(axis).dot(rules[side].weights);
        }
  });
  return means;
}

/// v·n <= 0 on walls, 0 where p > 0 there. Cut cells have no multiplier of
/// their own: there it is the larger one of p and h |v·n| that counts.
void obey_walls(const ShapeFunction &w, const ShapeZone &zone, const StaggeredSolution &x, const CellArray &q, FaceArrays &v)
{
  const BoxGrid &grid = zone.touched.grid;
  for (int side = 0; side < 2 * grid.dim; ++side)
    if (zone.touched.walls[side])
      for_own_cells(grid, [&](const CellIndex &cell) {
        const int       axis = side / 2;
        const CellIndex face = moved(cell, axis, side % 2);
        if (cell[axis] != (side % 2 ? grid.n[axis] - 1 : 0) || !zone.touched(cell))
          return;
        const double sign    = side % 2 ? 1. : -1.;
        const bool   pressed = zone.inside(cell)
                                   ? x.p_wall(axis, face) > 0.
                                   : std::abs(w.at_centres()(cell)) * q(cell) > grid.h(axis) * std::abs(v(axis, face));
        v(axis, face)        = pressed ? 0. : sign * std::min(sign * v(axis, face), 0.);
      });
}

/// v - ∇φ with div = 0 in contact and (div v)⁺ elsewhere.
FaceArrays corrected(const ShapeZone &zone, const StaggeredSolution &x, const CellArray &q, const FaceArrays &v)
{
  CellArray f(zone.touched.grid);
  double    largest = 0.;
  for_own_cells(f.box_grid(), [&](const CellIndex &cell) {
    if (!zone.touched(cell))
      return;
    const double d = divergence(v, cell);
    f(cell)        = in_contact(zone, x, q, cell) ? -d : std::max(-d, 0.);
    largest        = std::max(largest, std::abs(f(cell)));
  });
  FaceArrays result = v;
  if (f.box_grid().processes.max(largest) == 0.)
    return result;
  // what remains of div v is multiplied by p, far below η² at this tolerance; and v is symmetric where its data are
  const PoissonSolution correction = solve_poisson(zone.touched, f, 1e-11);
  for (int axis = 0; axis < f.box_grid().dim; ++axis)
    result.values[axis] += correction.minus_gradient.values[axis];
  return result;
}

/// Face means of v, from x and from U - ∇p near the boundary.
FaceArrays admissible_means(const ShapeFunction &w, const ShapeZone &zone, const StaggeredSolution &x, const CellArray &q,
                            const BoxPressure &p)
{
  FaceArrays means = momentum_means(w, zone, x, p);
  obey_walls(w, zone, x, q, means);
  bool feasible = true; // the bound looks for itself
  return repaired_fluxes(zone.touched, corrected(zone, x, q, means), feasible);
}

ShapePair pair_from(const ShapeFunction &w, const BoxZone &cells, const Field &U, const FaceArrays &means,
                    const CellArray &q, const Progress &progress)
{
  ShapePair pair;
  pair.q     = q;
  pair.p     = std::make_unique<ShapePressure>(w, q);
  pair.v     = std::make_unique<ReconstructedVelocity>(cells, means, U, *pair.p, progress.part(0., .4));
  pair.bound = box_total_bound(cells, U, *pair.v, *pair.p, progress.part(.4, 1.));
  return pair;
}

/// Cells near the boundary: all those where fitting changes anything.
BoxZone layer(const ShapeFunction &w, const BoxZone &touched)
{
  BoxZone    result = touched;
  const auto around = neighbourhood(w.depth());
  for_own_cells(touched.grid, [&](const CellIndex &cell) {
    bool near = false;
    for (const Index to : around)
      near = near || w.depth().values(w.depth().position(cell) + to) < 3.;
    result.set(cell, near && touched(cell));
  });
  result.update_ghosts();
  return result;
}
} // namespace

ShapePair shape_pair(const ShapeFunction &w, const ShapeZone &zone, const Field &U, const StaggeredSolution &x,
                     const Progress &progress)
{
  const BoxZone    near  = layer(w, zone.touched);
  const CellArray  q     = quotient(w, zone, x.p, x.p_wall);
  const FaceArrays means = admissible_means(w, zone, x, q, ShapePressure(w, q));
  progress(.4);
  const ShapePair first  = pair_from(w, near, U, means, q, progress.part(.4, .45)),
                  second = pair_from(w, near, U, means, fitted(w, zone, q, U, *first.v), progress.part(.45, .5));
  return pair_from(w, zone.touched, U, means, second.bound.eta < first.bound.eta ? second.q : first.q,
                   progress.part(.5, 1.));
}
} // namespace moreau::macro
