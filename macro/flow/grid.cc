// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/flow/grid.h"

#include <algorithm>

namespace moreau::macro
{
FlowGrid::FlowGrid(const BoxGrid &grid, const std::array<Boundary, 6> &sides, const CellArray &rho_max)
    : grid(grid), sides(sides), layout(grid)
{
  for (int axis = 0; axis < grid.dim; ++axis)
    is_periodic[axis] = sides[2 * axis] == Boundary::periodic;
  CellArray matter = rho_max; // beyond the box as inside: sides say what stands there
  exchange(matter);
  for (int axis = 0; axis < grid.dim; ++axis)
    {
      CellArray   capacity = layout;
      const Index stride   = layout.stride(axis);
      for_face_rows(axis, [&](const Index row, const CellIndex &first, const Index n) {
        for (Index k = 0; k < n; ++k)
          {
            CellIndex face = first;
            face[0] += k;
            const Index  at    = row + k;
            const double below = matter.values(at - stride), above = matter.values(at);
            const bool   begin = face[axis] == 0, end = face[axis] == grid.n[axis];
            if ((begin || end) && !is_periodic[axis])
              capacity.values(at) = sides[2 * axis + end] != Boundary::wall ? (end ? below : above) : 0.;
            else
              capacity.values(at) = below > 0. && above > 0. ? .5 * (below + above) : 0.;
          }
      });
      exchange(capacity);
      capacity_of_faces[axis] = capacity.values;
      opened[axis]            = (capacity.values.array() > 0.).cast<double>();
      weights[axis]           = Vector::Ones(size());
      set_shares(axis);
    }
  for (int side = 0; side < 2 * grid.dim; ++side)
    if (sides[side] != Boundary::periodic)
      for_side(side, [&](const Index face, Index, const CellIndex &) { weights[side / 2](face) = 2.; });
}

std::optional<Index> FlowGrid::find(CellIndex cell) const
{
  for (int axis = 0; axis < dim(); ++axis)
    if (is_periodic[axis])
      cell[axis] = (cell[axis] % grid.n[axis] + grid.n[axis]) % grid.n[axis];
    else if (cell[axis] < 0 || cell[axis] >= grid.n[axis])
      return {};
  return position(cell);
}

void FlowGrid::set_shares(const int axis)
{
  const Index n     = grid.n[axis];
  const bool  lower = sides[2 * axis] == Boundary::wall, upper = sides[2 * axis + 1] == Boundary::wall;
  shares_below[axis] = shares_above[axis] = betweens[axis] = Vector::Zero(size());
  // ghosts, too: they are the same for all processes
  const Index s = layout.stride(axis), extent = axis == grid.last_axis() ? grid.own(axis) + 2 : n + 2;
  const Index first = axis == grid.last_axis() ? grid.first - 1 : -1;
  for (Index at = first; at < first + extent; ++at)
    {
      const bool   wall  = lower && at == 0 || upper && at == n;
      const double below = wall ? 0. : lower && at == 1 ? 1. : .5, above = wall ? 0. : upper && at == n - 1 ? 1. : .5;
      const double between = lower && at <= 1 || upper && at >= n ? 0. : .5;
      for (Index outer = (at - first) * s; outer < size(); outer += extent * s)
        {
          shares_below[axis].segment(outer, s).setConstant(below);
          shares_above[axis].segment(outer, s).setConstant(above);
          betweens[axis].segment(outer, s).setConstant(between);
        }
    }
  set_shares_at_solids(axis);
}

/// The sides of solids are walls, too. Ghosts that are nobody's cells stay as they are.
void FlowGrid::set_shares_at_solids(const int axis)
{
  const Index s     = layout.stride(axis);
  CellArray   known = layout, closed = layout;
  for_faces(axis, [&](const Index c) {
    known.values(c)  = 1.;
    closed.values(c) = opened[axis](c) == 0.;
  });
  exchange(closed);
  exchange(known);
  CellArray  below = layout, above = layout, between = layout;
  const auto is_closed = [&](const Index c) { return closed.values(c) > 0.; };
  for_faces(axis, [&](const Index c) {
    const bool shut   = is_closed(c);
    below.values(c)   = shut ? 0. : is_closed(c - s) ? 1. : shares_below[axis](c);
    above.values(c)   = shut ? 0. : c + s < size() && is_closed(c + s) ? 1. : shares_above[axis](c);
    between.values(c) = shut || is_closed(c - s) ? 0. : betweens[axis](c);
  });
  for (auto [shares, all] : {std::pair(&below, &shares_below), {&above, &shares_above}, {&between, &betweens}})
    {
      exchange(*shares);
      (*all)[axis] = (known.values.array() > 0.).select(shares->values, (*all)[axis]);
    }
}

void negative_divergence(const FlowGrid &grid, const FaceCells &v, CellArray &result)
{
  grid.for_cell_rows([&](const Index row, const CellIndex &, const Index n) {
    std::fill_n(result.values.data() + row, n, 0.);
    for (int axis = 0; axis < grid.dim(); ++axis)
      {
        const Index   s = grid.stride(axis);
        const double *u = v[axis].values.data(), per_h = 1. / grid.box().h(axis);
        double       *d = result.values.data();
        for (Index c = row; c < row + n; ++c)
          d[c] += (u[c] - u[c + s]) * per_h;
      }
  });
}

void subtract_gradient(const FlowGrid &grid, const CellArray &q, const std::array<Vector, 3> &weights, FaceCells &result)
{
  for (int axis = 0; axis < grid.dim(); ++axis)
    {
      const Index   s      = grid.stride(axis);
      const double *values = q.values.data(), *w = weights[axis].data(), per_h = 1. / grid.box().h(axis);
      double       *r = result[axis].values.data();
      grid.for_faces(axis, [&](const Index c) { r[c] -= w[c] * (values[c] - values[c - s]) * per_h; });
    }
}

FaceArrays face_arrays(const FlowGrid &grid, const FaceCells &faces)
{
  FaceArrays result(grid.box());
  for (int axis = 0; axis < grid.dim(); ++axis)
    {
      BoxGrid all = grid.box(); // both sides of process borders
      all.n[axis] += 1;
      all.last += axis == all.last_axis();
      for_own_cells(all, [&](const CellIndex &face) { result(axis, face) = faces[axis](face); });
    }
  return result;
}
} // namespace moreau::macro
