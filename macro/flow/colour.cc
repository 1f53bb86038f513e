// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/flow/colour.h"

#include <algorithm>

namespace moreau::macro
{
Colour::Colour(const FlowGrid &whole, const bool under_force)
    : tiles(std::make_unique<FlowGrid>(FlowGrid::in_tiles(whole))), is_pushed(under_force)
{}

template <class F>
void Colour::for_arrays(F &&f)
{
  const auto pass = [&](FaceCells &faces, const double empty) {
    for (int axis = 0; axis < tiles->dim(); ++axis)
      f(faces[axis].values, empty);
  };
  f(rho.values, 0.);
  f(first.values, 0.);
  pass(momentum, 0.);
  if (!has_all_arrays)
    return;
  f(after.values, 0.);
  for (FaceCells *const faces : {&velocity, &mass, &mass_before, &flux, &share, &leader, &crossing, &part, &moved})
    pass(*faces, 0.);
  if (!is_pushed)
    return;
  pass(pushed, 0.);
  pass(driven, 0.);
  pass(resistance, 1.);
}

void Colour::find_velocities()
{
  dual_densities(*tiles, rho, mass);
  face_velocities(*tiles, momentum, mass, velocity);
}

void Colour::add_tiles(std::vector<Index> wanted)
{
  wanted = tiles->tiles().missing_of(std::move(wanted));
  if (wanted.empty())
    return;
  tiles->add_tiles(wanted);
  for_arrays([&](Vector &values, const double empty) {
    values.conservativeResize(tiles->size());
    for (const Index tile : wanted)
      values.segment(tiles->tiles().begin_of(tile), tiles->tiles().volume_with_ghosts()).setConstant(empty);
  });
}

void Colour::visit(const std::vector<CellIndex> &cells)
{
  std::vector<Index> wanted;
  for (const CellIndex &cell : cells)
    wanted.push_back(tiles->tiles().tile_of(cell));
  add_tiles(wanted);
  for (std::size_t k = 0; k < cells.size(); ++k)
    if (!tiles->tiles().is_visited(cells[k]))
      tiles->visit_all_of(wanted[k]);
}

void Colour::fit(const bool enters)
{
  const Tiles             &there = tiles->tiles();
  std::vector<Tiles::Part> needed(there.n_tiles());
  if (enters)
    for (Index tile = 0; tile < there.n_tiles(); ++tile)
      needed[tile] = there.whole(tile);
  else
    {
      for (const Tiles::Block &block : there.blocks())
        include_matter(block.tile, needed, [&](const Index at, Index) { return is_anything_at(block.begin + at); });
      if (tiles->box().processes.size() > 1)
        include_at_borders(needed);
    }
  std::vector<std::pair<Index, Index>> left; // what loops visit no more, and in which nothing may be
  std::vector<Index>                   wanted;
  for (const Tiles::Block &block : there.blocks())
    if (const Tiles::Part &part = needed[block.tile]; !part.is_empty() && !(part == block.visited))
      there.for_rows_beyond(block.tile, needed[block.tile],
                            [&](const Index at, const Index n) { left.emplace_back(at, n); });
  for (Index tile = 0; tile < there.n_tiles(); ++tile)
    if (!needed[tile].is_empty())
      wanted.push_back(tile);
  for_arrays([&](Vector &values, const double empty) {
    for (const auto &[at, n] : left)
      values.segment(at, n).setConstant(empty);
  });
  add_tiles(std::move(wanted));
  tiles->visit_tiles(needed);
  if (const auto from = tiles->pack_tiles())
    for_arrays([&](Vector &values, double) { tiles->tiles().move(values, *from); });
  prepare();
  find_whether_empty();
}

void Colour::prepare()
{
  if (has_all_arrays)
    return;
  has_all_arrays = true;
  for_arrays([&](Vector &values, const double empty) {
    if (values.size() == 0)
      values = Vector::Constant(tiles->size(), empty);
  });
}

void Colour::find_whether_empty() { is_empty = tiles->largest(tiles->tiles().is_empty() ? 0. : 1.) == 0.; }

/// Adds what is needed around the cells and faces of a tile with is_there(position in the tile, position in all cells).
template <class F>
void Colour::include_matter(const Index tile, std::vector<Tiles::Part> &needed, F &&is_there) const
{
  const Tiles         &shape = tiles->tiles();
  std::array<Index, 3> more  = {0, 0, 0};
  for (int axis = 0; axis < tiles->dim(); ++axis)
    more[axis] = tiles->holds_last_faces(axis);
  CellIndex lowest = {0, 0, 0}, highest = lowest;
  bool      any = false;
  shape.for_rows_of(tile, shape.whole(tile), more, [&](const Index row, const CellIndex &first, const Index n) {
    const Index of_whole = tiles->whole().position(first);
    for (Index k = 0; k < n; ++k)
      if (is_there(row + k, of_whole + k))
        {
          const CellIndex cell = geometry::moved(first, 0, k);
          if (!any)
            lowest = highest = cell;
          any = true;
          for (int axis = 0; axis < tiles->dim(); ++axis)
            {
              lowest[axis]  = std::min(lowest[axis], cell[axis]);
              highest[axis] = std::max(highest[axis], cell[axis]);
            }
        }
  });
  if (any)
    shape.include_around(lowest, highest, in_a_step, needed);
}

bool Colour::is_anything_at(const Index position) const
{
  bool is_one = rho.values(position) != 0.;
  for (int axis = 0; axis < tiles->dim(); ++axis)
    is_one = is_one || momentum[axis].values(position) != 0.;
  return is_one;
}

/// Around what lies near the borders in the layers of neighbouring processes, which they say: how many layers from there.
void Colour::include_at_borders(std::vector<Tiles::Part> &needed) const
{
  const BoxGrid &box  = tiles->box();
  const int      last = box.last_axis();
  BoxGrid        ends = box;
  ends.last           = ends.first + 2;
  CellArray           distance(ends); // to the lower border in the first of the two layers, to the upper one in the second
  std::array<bool, 3> is_ring = {false, false, false};
  is_ring[last]               = tiles->periodic()[last];
  const auto note             = [](double &noted, const Index layers) {
    noted = noted == 0. ? static_cast<double>(layers) : std::min(noted, static_cast<double>(layers));
  };
  tiles->for_cell_rows([&](const Index row, const CellIndex &first, const Index n) {
    for (Index k = 0; k < n; ++k)
      if (is_anything_at(row + k))
        {
          CellIndex   cell  = geometry::moved(first, 0, k);
          const Index below = cell[last] - box.first + 1, above = box.last - cell[last];
          cell[last] = ends.first;
          if (below <= in_a_step)
            note(distance(cell), below);
          cell[last] = ends.first + 1;
          if (above <= in_a_step)
            note(distance(cell), above);
        }
  });
  update_ghosts(distance, is_ring);
  BoxGrid layer = ends;
  layer.last    = layer.first + 1;
  if (box.own(last) == 1) // what lies behind a neighbour of one layer
    for_own_cells(layer, [&](const CellIndex &cell) {
      const double from_below = distance(geometry::moved(cell, last, -1)),
                   from_above = distance(geometry::moved(cell, last, 2));
      if (from_below == 1.)
        note(distance(geometry::moved(cell, last, 1)), 2);
      if (from_above == 1.)
        note(distance(cell), 2);
    });
  update_ghosts(distance, is_ring);
  for_own_cells(layer, [&](const CellIndex &cell) {
    const auto mark = [&](const double layers, const Index at) {
      CellIndex there = cell;
      there[last]     = at;
      if (layers > 0.)
        tiles->tiles().include_around(there, there, in_a_step, needed);
    };
    const auto from_below = static_cast<Index>(distance(geometry::moved(cell, last, -1)));
    const auto from_above = static_cast<Index>(distance(geometry::moved(cell, last, 2)));
    mark(from_below, box.first - from_below);
    mark(from_above, box.last - 1 + from_above);
  });
}

void Colour::take(const CellArray &of_rho, const FaceCells &of_momentum)
{
  std::vector<Tiles::Part> needed(tiles->tiles().n_tiles());
  std::vector<Index>       wanted;
  for (Index tile = 0; tile < tiles->tiles().n_tiles(); ++tile)
    include_matter(tile, needed, [&](Index, const Index at) {
      bool is_one = of_rho.values(at) != 0.;
      for (int axis = 0; axis < tiles->dim(); ++axis)
        is_one = is_one || of_momentum[axis].values(at) != 0.;
      return is_one;
    });
  for (Index tile = 0; tile < tiles->tiles().n_tiles(); ++tile)
    if (!needed[tile].is_empty())
      wanted.push_back(tile);
  add_tiles(std::move(wanted));
  tiles->for_cells_in_whole([&](const Index c, const Index all) { rho.values(c) = of_rho.values(all); });
  for (int axis = 0; axis < tiles->dim(); ++axis)
    tiles->for_faces_in_whole(
        axis, [&](const Index c, const Index all) { momentum[axis].values(c) = of_momentum[axis].values(all); });
  find_whether_empty();
}

void set_shares(const FlowGrid &grid, std::vector<Colour> &colours)
{
  const double     nothing = crumb_density(grid);
  constexpr double crumb   = .01; // a share of what all have on the face
  for (int axis = 0; axis < grid.dim(); ++axis)
    {
      const Index s = colours.front().grid().stride(axis);
      for_faces_of(grid, colours, axis, [&](const std::vector<ColourInTile> &here, const Index in_tile, const Index face) {
        const bool is_open = grid.open(axis)(face) > 0.;
        double     all = 0., held = 0.;
        const auto on_both_sides = [&](const ColourInTile &of) {
          const Vector &r = of.colour->rho.values;
          const Index   c = of.begin + in_tile;
          return is_open ? std::max(0., std::min(r(c - s), r(c))) : 0.;
        };
        if (here.size() == 1)
          {
            here[0].colour->share[axis].values(here[0].begin + in_tile) = on_both_sides(here[0]) > nothing ? 1. : 0.;
            return;
          }
        for (const ColourInTile &of : here)
          all += on_both_sides(of);
        for (const ColourInTile &of : here)
          {
            const double both  = all > 0. ? on_both_sides(of) : 0.;
            double      &share = of.colour->share[axis].values(of.begin + in_tile);
            share              = both > nothing && both >= crumb * all ? both : 0.;
            held += share;
          }
        for (const ColourInTile &of : here)
          if (held > 0.)
            of.colour->share[axis].values(of.begin + in_tile) /= held;
      });
      for (Colour &colour : colours)
        {
          if (colour.is_empty)
            continue;
          const FlowGrid &tiles = colour.grid();
          const Vector   &r = colour.rho.values, &m = colour.mass[axis].values, &open = tiles.open(axis);
          Vector         &share = colour.share[axis].values, &leader = colour.leader[axis].values;
          tiles.exchange(colour.share[axis]);
          tiles.for_faces(axis, [&](const Index c) {
            leader(c) = 0.;
            if (open(c) == 0. || share(c) > 0. || !(m(c) > empty_density))
              return;
            const double inwards = r(c) >= r(c - s) ? 1. : -1.;
            const Index  next    = inwards > 0. ? c + s : c - s;
            if (share(next) > 0.)
              leader(c) = inwards;
          });
          for (const int side : {2 * axis, 2 * axis + 1}) // what enters has a velocity of its own
            if (&colour == &colours.front() && grid.side(side) == Boundary::inflow)
              tiles.for_side(side, [&](const Index face, Index, const CellIndex &) { leader(face) = 0.; });
          tiles.exchange(colour.leader[axis]);
        }
    }
}
} // namespace moreau::macro
