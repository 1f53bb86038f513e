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
  for (int side = 0; side < 2 * grid.dim; ++side)
    if (sides[side] == Boundary::inflow)
      entries.push_back(side);
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
  find_beside_solids(matter);
  for (int axis = 0; axis < grid.dim && touching.size() > 0; ++axis)
    find_corners(axis);
}

void FlowGrid::find_corners(const int axis)
{
  CellArray   found  = layout;
  const Index s      = layout.stride(axis);
  const auto  closed = [&](const Index c) { return c < size() && opened[axis](c) == 0.; };
  for_face_rows(axis, [&](const Index row, const CellIndex &first, const Index n) {
    for (Index c = row; c < row + n; ++c)
      for (int b = 0; b < grid.dim; ++b)
        {
          const Index t = layout.stride(b), at = b == 0 ? first[0] + (c - row) : first[b];
          const bool  begins = at == 0 && !is_periodic[b], ends = at == grid.n[b] - 1 && !is_periodic[b];
          if (b != axis && (!begins && !same_shares(axis, c, c - t) || !ends && !same_shares(axis, c, c + t) ||
                            closed(c) && (closed(c - s) || closed(c + s))))
            found.values(c) = 1.;
        }
  });
  exchange(found);
  corners[axis] = std::move(found.values);
}

void FlowGrid::find_beside_solids(const CellArray &rho_max)
{
  CellArray solid = layout; // 1; nothing is beyond the box
  for_cells([&](const Index c) { solid.values(c) = rho_max.values(c) == 0.; });
  if (!(largest(solid.values.maxCoeff()) > 0.))
    return;
  exchange(solid);
  CellArray beside = layout;
  for_cells([&](const Index c) {
    beside.values(c) = any_touching(c, [&](const Index there) { return solid.values(there) > 0.; });
  });
  exchange(beside);
  touching = std::move(beside.values);
}

FlowGrid::FlowGrid(const FlowGrid *const whole, Tiles tiles)
    : grid(whole->grid)
    , sides(whole->sides)
    , is_periodic(whole->is_periodic)
    , entries(whole->entries)
    , of_all(whole)
    , blocks(std::move(tiles))
{}

const std::array<std::array<Vector, 3> FlowGrid::*, 6> FlowGrid::of_tiles = {
    &FlowGrid::opened,       &FlowGrid::weights,  &FlowGrid::shares_below,
    &FlowGrid::shares_above, &FlowGrid::betweens, &FlowGrid::corners};

FlowGrid FlowGrid::in_tiles(const FlowGrid &whole)
{
  std::array<bool, 3> rings = whole.is_periodic;
  if (whole.grid.processes.size() > 1)
    rings[whole.grid.last_axis()] = false;
  return FlowGrid(&whole, Tiles(whole.grid, rings));
}

void FlowGrid::add_tiles(const std::vector<Index> &tiles)
{
  if (tiles.empty())
    return;
  blocks->add(tiles);
  for (const auto of_faces : of_tiles)
    for (int axis = 0; axis < dim(); ++axis)
      {
        Vector       &values = (this->*of_faces)[axis];
        const Vector &all    = (of_all->*of_faces)[axis];
        if (all.size() == 0)
          continue;
        values.conservativeResize(size());
        for (const Index tile : tiles)
          {
            values.segment(blocks->begin_of(tile), blocks->volume_with_ghosts()).setZero();
            blocks->for_rows_with_ghosts(tile, [&](const Index at, const CellIndex &first, const Index n) {
              values.segment(blocks->begin_of(tile) + at, n) = all.segment(of_all->position(first), n);
            });
          }
      }
}

std::optional<std::vector<Index>> FlowGrid::pack_tiles()
{
  const auto from = blocks->pack();
  for (const auto of_faces : of_tiles)
    for (int axis = 0; axis < dim() && from; ++axis)
      if ((this->*of_faces)[axis].size() > 0)
        blocks->move((this->*of_faces)[axis], *from);
  return from;
}

CellArray FlowGrid::array() const
{
  if (!blocks)
    return layout;
  CellArray zeros;
  zeros.values = Vector::Zero(size());
  return zeros;
}

FaceCells FlowGrid::faces() const
{
  FaceCells zeros;
  for (int axis = 0; axis < dim(); ++axis)
    zeros[axis] = array();
  return zeros;
}

void FlowGrid::suit(CellArray &array) const
{
  if (array.values.size() == 0 && !blocks)
    array = layout;
  if (array.values.size() != size())
    array.values = Vector::Zero(size());
}

void FlowGrid::exchange(CellArray &array) const
{
  if (!blocks)
    return update_ghosts(array, is_periodic);
  blocks->update_ghosts(array.values);
  if (grid.processes.size() > 1)
    exchange_borders(array);
}

/// The ghosts of tiles that neighbouring processes know. All processes call, with tiles or without.
void FlowGrid::exchange_borders(CellArray &array) const
{
  const int           last    = grid.last_axis();
  std::array<bool, 3> is_ring = {false, false, false};
  is_ring[last]               = is_periodic[last];
  BoxGrid ends                = grid;
  ends.last                   = ends.first + 2;
  CellArray  border(ends); // the first and the last layer of this process, between those of its neighbours
  const auto for_layer = [&](const bool upper, const Index in_process, const Index in_border, auto &&f) {
    for (const Tiles::Block &block : blocks->blocks())
      if (upper ? block.is_last[last] : block.index[last] == 0)
        blocks->for_rows_with_ghosts(block.tile, [&](const Index at, CellIndex first, const Index n) {
          if (last == 0)
            f(array.values(block.begin + at + in_process - first[0]), border({in_border, 0, 0}));
          for (Index k = 0; k < n && last > 0 && first[last] == in_process; ++k)
            {
              CellIndex cell = moved(first, 0, k);
              cell[last]     = in_border;
              f(array.values(block.begin + at + k), border(cell));
            }
        });
  };
  const auto send = [](const double mine, double &there) { there = mine; };
  const auto take = [](double &mine, const double there) { mine = there; };
  for_layer(false, grid.first, ends.first, send);
  for_layer(true, grid.last - 1, ends.first + 1, send);
  update_ghosts(border, is_ring);
  if (grid.first > 0 || is_ring[last])
    for_layer(false, grid.first - 1, ends.first - 1, take);
  if (grid.last < grid.n[last] || is_ring[last])
    for_layer(true, grid.last, ends.last, take);
}

std::optional<CellIndex> FlowGrid::wrapped_from_beyond(CellIndex cell) const
{
  for (int axis = 0; axis < dim(); ++axis)
    if (cell[axis] < 0 || cell[axis] >= grid.n[axis])
      {
        if (!is_periodic[axis])
          return {};
        cell[axis] = (cell[axis] % grid.n[axis] + grid.n[axis]) % grid.n[axis];
      }
  return cell;
}

std::optional<Index> FlowGrid::find(const CellIndex &cell) const
{
  const auto there = wrapped(cell);
  return there ? std::optional(whole().position(*there)) : std::nullopt;
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
