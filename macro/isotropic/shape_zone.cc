// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/isotropic/shape_zone.h"

#include <algorithm>
#include <cmath>

namespace moreau::macro
{
namespace
{
/// Is the zone, or what a twentieth of a cell away could still belong to it, met by a lattice of points of the cell?
bool reached(const ShapeFunction &w, const CellIndex &cell)
{
  constexpr int n_points =
      5; // per direction: between them a boundary that is resolved at all cannot bulge by a twentieth of a cell
  constexpr double margin = .05;
  const BoxGrid   &grid   = w.box_grid();
  int              n      = 1;
  for (int axis = 0; axis < grid.dim; ++axis)
    n *= n_points;
  Eigen::MatrixXd x(grid.dim, n);
  for (int k = 0; k < n; ++k)
    for (int axis = 0, rest = k; axis < grid.dim; ++axis, rest /= n_points)
      x(axis, k) = grid.lower(axis) +
                   (static_cast<double>(cell[axis]) + static_cast<double>(rest % n_points) / (n_points - 1)) * grid.h(axis);
  Vector values;
  w.level(x, values);
  // the level falls by about its range over the cell per cell
  return values.maxCoeff() + margin * (values.maxCoeff() - values.minCoeff()) > 0.;
}

BoxZone touched_cells(const ShapeFunction &w, const BoxZone &inside)
{
  BoxZone    touched = inside;
  const auto around  = neighbourhood(w.depth());
  for_own_cells(inside.grid, [&](const CellIndex &cell) {
    if (inside(cell))
      return;
    bool candidate = std::abs(w.depth()(cell)) < 2.;
    for (const Index to : around)
      candidate = candidate || inside.saturated[w.depth().position(cell) + to];
    if (candidate && reached(w, cell))
      touched.set(cell, true);
  });
  touched.update_ghosts();
  return touched;
}

/// Where the zone ends on the way from the centre of a cell along an axis, in cells.
FaceArrays cut_links(const ShapeFunction &w, const BoxZone &inside)
{
  struct Link
  {
    int       axis;
    CellIndex face;
    Vector    from;
    double    to; ///< a cell along the axis, to the other centre, in m
  };
  const BoxGrid    &grid = inside.grid;
  std::vector<Link> links;
  // of this process's cells, and of those in the layers next to them: the faces between two processes are held by both
  const auto add = [&](const CellIndex &cell) {
    for (int axis = 0; axis < grid.dim && inside(cell); ++axis)
      for (int side = 0; side < 2; ++side)
        {
          const CellIndex other = moved(cell, axis, side == 0 ? -1 : 1), face = moved(cell, axis, side);
          const bool      held = face[grid.last_axis()] >= grid.first &&
                            face[grid.last_axis()] <= grid.last - (axis == grid.last_axis() ? 0 : 1);
          const bool beyond = other[axis] < 0 || other[axis] >= grid.n[axis];
          if (!beyond && held && !inside(other))
            links.push_back({axis, face, grid.centre(cell), side == 0 ? -grid.h(axis) : grid.h(axis)});
        }
  };
  for_own_cells(grid, [&](const CellIndex &cell) {
    add(cell);
    const int last = grid.last_axis();
    if (cell[last] == grid.first && grid.first > 0)
      add(moved(cell, last, -1));
    if (cell[last] == grid.last - 1 && grid.last < grid.n[last])
      add(moved(cell, last, 1));
  });
  FaceArrays      theta(grid);
  const Index     n     = static_cast<Index>(links.size());
  Vector          lower = Vector::Zero(n), upper = Vector::Ones(n), values;
  Eigen::MatrixXd x(grid.dim, n);
  for (int step = 0; step < 40 && n > 0; ++step)
    {
      const Vector middle = .5 * (lower + upper);
      for (Index k = 0; k < n; ++k)
        {
          x.col(k) = links[k].from;
          x(links[k].axis, k) += middle(k) * links[k].to;
        }
      w.level(x, values);
      for (Index k = 0; k < n; ++k)
        (values(k) > 0. ? lower : upper)(k) = middle(k);
    }
  // a centre on the boundary has p = 0: a thousandth of a cell says so, and keeps W well scaled
  for (Index k = 0; k < n; ++k)
    theta(links[k].axis, links[k].face) = std::max(lower(k), 1e-3);
  return theta;
}
} // namespace

ShapeZone shape_zone(const ShapeFunction &w, const Sides &walls)
{
  const BoxGrid &grid = w.box_grid();
  ShapeZone      zone;
  zone.inside = BoxZone(grid, walls);
  for_own_cells(grid, [&](const CellIndex &cell) { zone.inside.set(cell, w.at_centres()(cell) > 0.); });
  zone.inside.update_ghosts();
  zone.touched = touched_cells(w, zone.inside);
  zone.theta   = cut_links(w, zone.inside);
  return zone;
}
} // namespace moreau::macro
