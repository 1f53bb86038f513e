// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/flow/tiles.h"

#include <algorithm>

namespace moreau::macro
{
Tiles::Tiles(const BoxGrid &grid, const std::array<bool, 3> &periodic) : dim(grid.dim), is_ring(periodic)
{
  // in space margins and ghosts of tiles take more than is saved: one for each process
  const std::array<Index, 3> largest = dim == 3 ? std::array<Index, 3>{grid.own(0) + 1, grid.own(1) + 1, grid.own(2) + 1}
                                                : std::array<Index, 3>{dim == 1 ? 32 : 16, 8, 8};
  std::array<Index, 3>       stored  = {1, 1, 1}; // cells and ghosts of a tile
  for (int axis = 0; axis < dim; ++axis)
    {
      n[axis]      = grid.own(axis);
      first[axis]  = axis == grid.last_axis() ? grid.first : 0;
      extent[axis] = largest[axis];
      while (n[axis] % extent[axis] == 0)
        extent[axis] = extent[axis] > 2 ? extent[axis] - 1 : n[axis] + 1;
      n_along[axis] = n[axis] / extent[axis] + 1;
      stored[axis]  = extent[axis] + 2;
    }
  strides     = {1, stored[0], stored[0] * stored[1]};
  Index n_all = 1;
  for (int axis = 0; axis < 3; ++axis)
    {
      const bool exists = axis < dim;
      shift[axis]       = exists ? 1 - first[axis] : 0;
      volume *= stored[axis];
      origin += exists ? strides[axis] : 0;
      for (Index at = exists ? -1 : 0; at < (exists ? n[axis] + 1 : 1); ++at)
        {
          const Index tile = std::clamp<Index>(at / extent[axis], 0, n_along[axis] - 1);
          tile_parts[axis].push_back(tile * n_all);
          local_parts[axis].push_back(exists ? (at - tile * extent[axis] + 1) * strides[axis] : 0);
        }
      n_all *= n_along[axis];
    }
  slot_of.assign(n_all, none);
  visited_of.resize(n_all);
  set_order();
}

Tiles::Block Tiles::block(const Index tile) const
{
  Block result = {tile, has(tile) ? begin_of(tile) : none, {}, {}, {}, {}, visited_of[tile]};
  Index rest   = tile;
  for (int axis = 0; axis < 3; ++axis)
    {
      const Index at       = rest % n_along[axis];
      rest                 = rest / n_along[axis];
      result.index[axis]   = at;
      result.first[axis]   = first[axis] + at * extent[axis];
      result.n[axis]       = std::min(extent[axis], n[axis] - at * extent[axis]);
      result.is_last[axis] = at == n_along[axis] - 1;
    }
  return result;
}

void Tiles::set_order()
{
  present.clear();
  lines.clear();
  planes.clear();
  for (Index tile = 0; tile < n_tiles(); ++tile)
    if (has(tile))
      {
        const Block next      = block(tile);
        const bool  new_plane = present.empty() || present.back().index[2] != next.index[2];
        if (new_plane)
          planes.push_back(lines.size());
        if (new_plane || present.back().index[1] != next.index[1])
          lines.push_back(present.size());
        present.push_back(next);
      }
  planes.push_back(lines.size());
  lines.push_back(present.size());
  set_copies();
}

std::vector<Index> Tiles::missing_of(std::vector<Index> tiles) const
{
  std::sort(tiles.begin(), tiles.end());
  tiles.erase(std::unique(tiles.begin(), tiles.end()), tiles.end());
  tiles.erase(std::remove_if(tiles.begin(), tiles.end(), [&](const Index tile) { return has(tile); }), tiles.end());
  return tiles;
}

void Tiles::add(const std::vector<Index> &tiles)
{
  if (free_slots.size() < tiles.size())
    {
      const std::size_t before = tile_in_slot.size();
      tile_in_slot.resize(before + tiles.size() - free_slots.size() + before / 8, none);
      for (std::size_t slot = tile_in_slot.size(); slot > before; --slot)
        free_slots.push_back(static_cast<Index>(slot) - 1);
    }
  for (const Index tile : tiles)
    {
      slot_of[tile]                   = free_slots.back();
      tile_in_slot[free_slots.back()] = tile;
      visited_of[tile]                = whole(tile);
      free_slots.pop_back();
    }
  set_order();
}

void Tiles::Part::include(const Part &other)
{
  const bool was_empty = is_empty();
  for (int axis = 0; axis < 3; ++axis)
    {
      from[axis] = was_empty ? other.from[axis] : std::min(from[axis], other.from[axis]);
      to[axis]   = std::max(to[axis], other.to[axis]);
    }
}

Tiles::Part Tiles::whole(const Index tile) const { return {{0, 0, 0}, block(tile).n}; }

bool Tiles::is_visited(const CellIndex &cell) const
{
  const Block of    = block(tile_of(cell));
  bool        is_in = true;
  for (int axis = 0; axis < 3; ++axis)
    {
      const Index at = cell[axis] - of.first[axis];
      is_in          = is_in && at >= of.visited.from[axis] && at < of.visited.to[axis];
    }
  return is_in;
}

void Tiles::visit(const std::vector<Part> &parts)
{
  for (Index slot = 0; slot < static_cast<Index>(tile_in_slot.size()); ++slot)
    if (const Index tile = tile_in_slot[slot]; tile != none)
      {
        visited_of[tile] = parts[tile];
        if (!parts[tile].is_empty())
          continue;
        slot_of[tile] = tile_in_slot[slot] = none;
        free_slots.push_back(slot);
      }
  set_order();
}

void Tiles::visit_all_of(const Index tile)
{
  visited_of[tile] = whole(tile);
  set_order();
}

std::optional<std::vector<Index>> Tiles::pack()
{
  const std::size_t n_present = present.size(), few = 8 + n_present / 4;
  if (free_slots.size() <= few && !(n_present == 0 && !free_slots.empty()))
    return {};
  std::vector<Index> from;
  tile_in_slot.clear();
  free_slots.clear();
  for (const Block &block : present)
    {
      from.push_back(slot_of[block.tile]);
      slot_of[block.tile] = static_cast<Index>(tile_in_slot.size());
      tile_in_slot.push_back(block.tile);
    }
  set_order();
  return from;
}

void Tiles::move(Vector &values, const std::vector<Index> &from) const
{
  Vector moved(size());
  for (std::size_t place = 0; place < from.size(); ++place)
    moved.segment(static_cast<Index>(place) * volume, volume) = values.segment(from[place] * volume, volume);
  values = std::move(moved);
}

void Tiles::include_around(CellIndex lowest, CellIndex highest, const Index by, std::vector<Part> &parts) const
{
  struct Range
  {
    Index tile, from, to;
  };
  std::array<std::vector<Range>, 3> along; // of the tiles along an axis that have one of these cells
  for (int axis = 0; axis < 3; ++axis)
    {
      const Index more = axis < dim ? by : 0, begin = lowest[axis] - more - first[axis];
      for (Index at = is_ring[axis] ? begin : std::max<Index>(begin, 0);
           at <= highest[axis] + more - first[axis] && (is_ring[axis] || at < n[axis]);)
        {
          const Index wrapped = is_ring[axis] ? (at % n[axis] + n[axis]) % n[axis] : at, tile = wrapped / extent[axis];
          const Index from = wrapped % extent[axis], whole = std::min(extent[axis], n[axis] - tile * extent[axis]);
          const Index to = std::min(whole, from + highest[axis] + more - first[axis] - at + 1);
          along[axis].push_back({tile, from, to});
          at += to - from;
        }
    }
  for (const Range &k : along[2])
    for (const Range &j : along[1])
      for (const Range &i : along[0])
        parts[i.tile + n_along[0] * (j.tile + n_along[1] * k.tile)].include({{i.from, j.from, k.from}, {i.to, j.to, k.to}});
}

/// Number of the tile beside another, over a periodic axis too; none beyond the process.
Index Tiles::neighbour(const Block &block, const int axis, const bool above) const
{
  const Index per_step = axis == 0 ? 1 : axis == 1 ? n_along[0] : n_along[0] * n_along[1];
  const Index at       = block.index[axis] + (above ? 1 : -1);
  if (at >= 0 && at < n_along[axis])
    return block.tile + (above ? per_step : -per_step);
  return is_ring[axis] ? block.tile + (above ? 1 - n_along[axis] : n_along[axis] - 1) * per_step : none;
}

void Tiles::set_copies()
{
  for (int axis = 0; axis < dim; ++axis)
    {
      const int a = axis == 0 ? 1 : 0, b = axis == 2 ? 1 : 2; // the other axes, if they exist
      copies[axis].clear();
      for (const Block &own : present)
        for (const bool above : {false, true})
          {
            const Index beside = neighbour(own, axis, above);
            if (beside == none || (above ? own.visited.to[axis] < own.n[axis] : own.visited.from[axis] > 0))
              continue;
            const Block other = block(beside);
            const Index ghost = above ? own.n[axis] + 1 : 0, cell = above ? 1 : other.n[axis];
            // with a cell more at either end, as stencils see it; positions count from ghosts on
            const Index first = own.visited.from[a] * strides[a] + own.visited.from[b] * strides[b];
            const auto  n_of  = [&](const int other_axis) {
              return other_axis < dim ? own.visited.to[other_axis] - own.visited.from[other_axis] + 2 : 1;
            };
            copies[axis].push_back({own.begin + ghost * strides[axis] + first,
                                    has(beside) ? other.begin + cell * strides[axis] + first : none, n_of(a), n_of(b)});
          }
    }
}

void Tiles::update_ghosts(Vector &values) const
{
  // axis by axis, with the ghosts of the axes before: corners among them
  for (int axis = 0; axis < dim; ++axis)
    {
      const Index a = strides[axis == 0 ? 1 : 0], b = strides[axis == 2 ? 1 : 2]; // along the other axes
      for (const Copy &copy : copies[axis])
        for (Index j = 0; j < copy.n_b; ++j)
          for (Index i = 0; i < copy.n_a; ++i)
            values(copy.ghosts + i * a + j * b) = copy.cells == none ? 0. : values(copy.cells + i * a + j * b);
    }
}
} // namespace moreau::macro
