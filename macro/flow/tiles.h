// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MACRO_FLOW_TILES_H
#define MOREAU_MACRO_FLOW_TILES_H

#include "geometry/box_grid.h"
#include "macro/vocabulary.h"

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

namespace moreau::macro
{
/// The cells of a process in blocks (tiles), of which some are there, with a layer of ghosts each, and where their values
/// stand in arrays: for what is in few cells of a grid. Within a tile the neighbour of a position along an axis is a stride
/// away, so that what works with positions in an array of all cells works in tiles as it is. The last tile of an axis has
/// always room for one more cell: what lies behind the last faces of a process is its own position, which is never set.
class Tiles
{
public:
  static constexpr Index none = -1;

  /// Of the layers of one process. periodic: axes on which the first cells follow the last ones.
  Tiles(const BoxGrid &grid, const std::array<bool, 3> &periodic);

  Index size() const { return volume * static_cast<Index>(tile_in_slot.size()); } ///< of an array
  Index volume_with_ghosts() const { return volume; }                             ///< of a tile in it
  Index stride(const int axis) const { return strides[axis]; }
  Index n_tiles() const { return static_cast<Index>(slot_of.size()); } ///< that might be there
  bool  is_empty() const { return present.empty(); }
  bool  has(const Index tile) const { return slot_of[tile] != none; }
  Index begin_of(const Index tile) const { return slot_of[tile] * volume; } ///< where its values stand, if it is there

  /// Number of the tile of a cell, and where its value stands; of ghosts and faces of this process as in a CellArray (those
  /// beyond the tiles of the process stand in the nearest one). Positions: none where the tile is not there.
  Index tile_of(const CellIndex &cell) const { return sum(tile_parts, cell); }
  Index position(const CellIndex &cell) const
  {
    const Index slot = slot_of[tile_of(cell)];
    return slot == none ? none : slot * volume + sum(local_parts, cell);
  }
  Index local_position(const CellIndex &cell) const { return sum(local_parts, cell); } ///< from the beginning of its tile

  /// What of a tile loops visit: cells from <= . < to along each axis, counted from its first one. Empty where to[0] = 0.
  struct Part
  {
    std::array<Index, 3> from = {0, 0, 0}, to = {0, 0, 0};

    bool is_empty() const { return to[0] == 0; }
    bool operator==(const Part &other) const { return from == other.from && to == other.to; }
    void include(const Part &other);
  };

  std::vector<Index> missing_of(std::vector<Index> tiles) const; ///< those of some that are not there, once

  /// Some that are not there yet, as a whole. In their places arrays hold what others left there; they may have to become
  /// longer.
  void add(const std::vector<Index> &tiles);
  /// Loops visit these parts of tiles (one for every tile that might be there); where they are empty tiles leave, arrays
  /// stay. Parts of tiles that are not there are left out. Arrays are to be 0 beyond them, see for_rows_beyond(), since
  /// what is not visited is not written.
  void visit(const std::vector<Part> &parts);
  void visit_all_of(Index tile);
  /// f(position of the first, number): what a tile that is there holds, ghosts included, beyond a part and the last faces
  /// of the process above it.
  template <class F>
  void for_rows_beyond(Index tile, const Part &part, F &&f) const;

  /// Where many places are free tiles move together, so that arrays become shorter. Returns, for one place after the other,
  /// the number of the place that its values come from; empty where nothing moves and arrays stay.
  std::optional<std::vector<Index>> pack();

  /// Adds the cells that are at most `by` from a box of cells of this process, over its periodic axes too, to parts of
  /// tiles; what lies beyond the process is left out.
  void include_around(CellIndex lowest, CellIndex highest, Index by, std::vector<Part> &parts) const;

  /// Ghosts of tiles from their neighbours, 0 where these are not there, beside what is visited; others stay, as do those
  /// beyond the process.
  void update_ghosts(Vector &values) const;

  /// Cells of a tile, without ghosts.
  struct Block
  {
    Index                tile, begin; ///< begin: see begin_of(); none where it is not there
    std::array<Index, 3> index;       ///< among tiles
    CellIndex            first;       ///< cell
    std::array<Index, 3> n;           ///< cells
    std::array<bool, 3>  is_last;     ///< of its axis
    Part                 visited;
  };
  Block                     block(Index tile) const;
  const std::vector<Block> &blocks() const { return present; } ///< those that are there

  /// f(position of the first, its index, number) for the rows of cells that are visited, in the order that they have in an
  /// array of all cells. more: so many cells behind the last ones of this process too.
  template <class F>
  void for_rows(const std::array<Index, 3> &more, F &&f) const;

  /// The same for a part of a tile that need not be there, positions from its beginning.
  template <class F>
  void for_rows_of(Index tile, const Part &part, const std::array<Index, 3> &more, F &&f) const;

  Part        whole(Index tile) const;                               ///< all of its cells
  const Part &visited(Index tile) const { return visited_of[tile]; } ///< of one that is there
  bool        is_visited(const CellIndex &cell) const;               ///< likewise

  /// Likewise with its ghosts.
  template <class F>
  void for_rows_with_ghosts(Index tile, F &&f) const;

  void move(Vector &values, const std::vector<Index> &from) const; ///< an array after pack()

private:
  using Parts = std::array<std::vector<Index>, 3>; ///< per axis and coordinate, from the layer of ghosts on

  Index sum(const Parts &parts, const CellIndex &cell) const
  {
    return parts[0][cell[0] + shift[0]] + parts[1][cell[1] + shift[1]] + parts[2][cell[2] + shift[2]];
  }
  Index row_in_tile(const Index j, const Index k) const { return origin + j * strides[1] + k * strides[2]; }
  void  set_order();
  void  set_copies();
  Index neighbour(const Block &block, int axis, bool above) const;

  int                  dim;
  std::array<bool, 3>  is_ring;
  std::array<Index, 3> first = {0, 0, 0}, n = {1, 1, 1};    ///< cells of the process
  std::array<Index, 3> extent  = {1, 1, 1};                 ///< cells of a tile
  std::array<Index, 3> n_along = {1, 1, 1}, strides, shift; ///< tiles; of arrays; from coordinates to entries of Parts
  Index                volume = 1, origin = 0;              ///< origin: of the first cell in a tile
  Parts                tile_parts, local_parts;
  std::vector<Index>   slot_of, tile_in_slot, free_slots;
  std::vector<Part>    visited_of; ///< per tile; empty where it is not there
  std::vector<Block>   present;    ///< i fastest

  struct Copy ///< of a layer of cells, or the part of it that loops may see, into ghosts
  {
    Index ghosts, cells; ///< the first positions; cells: none for zeros
    Index n_a, n_b;      ///< numbers along the other axes
  };
  std::array<std::vector<Copy>, 3> copies; ///< along an axis
  std::vector<std::size_t> lines, planes;  ///< where a line of tiles begins among `present`, a plane among lines; ends too
};

template <class F>
void Tiles::for_rows(const std::array<Index, 3> &more, F &&f) const
{
  const auto end_of = [&](const Block &block, const int axis, const Index of_part, const Index n_more) {
    return of_part + (block.is_last[axis] && of_part == block.n[axis] ? n_more : 0);
  };
  for (std::size_t plane = 0; plane + 1 < planes.size(); ++plane)
    for (Index k = 0, n_k = present[lines[planes[plane]]].n[2] + more[2]; k < n_k; ++k)
      for (std::size_t line = planes[plane]; line < planes[plane + 1]; ++line)
        for (Index j = 0, n_j = present[lines[line]].n[1] + more[1]; j < n_j; ++j)
          for (std::size_t at = lines[line]; at < lines[line + 1]; ++at)
            {
              const Block &block = present[at];
              const Part  &part  = block.visited;
              if (k < part.from[2] || j < part.from[1] || k >= end_of(block, 2, part.to[2], more[2]) ||
                  j >= end_of(block, 1, part.to[1], more[1]))
                continue;
              f(block.begin + row_in_tile(j, k) + part.from[0],
                CellIndex{block.first[0] + part.from[0], block.first[1] + j, block.first[2] + k},
                end_of(block, 0, part.to[0], more[0]) - part.from[0]);
            }
}

template <class F>
void Tiles::for_rows_of(const Index tile, const Part &part, const std::array<Index, 3> &more, F &&f) const
{
  const Block own    = block(tile);
  const auto  end_of = [&](const int axis) {
    return part.to[axis] + (own.is_last[axis] && part.to[axis] == own.n[axis] ? more[axis] : 0);
  };
  for (Index k = part.from[2]; k < end_of(2); ++k)
    for (Index j = part.from[1]; j < end_of(1); ++j)
      f(row_in_tile(j, k) + part.from[0], CellIndex{own.first[0] + part.from[0], own.first[1] + j, own.first[2] + k},
        end_of(0) - part.from[0]);
}

template <class F>
void Tiles::for_rows_beyond(const Index tile, const Part &part, F &&f) const
{
  const Block          own = block(tile);
  std::array<Index, 3> end; // behind the part, counted from the first cell of the tile
  for (int axis = 0; axis < 3; ++axis)
    end[axis] = part.to[axis] + (axis < dim && own.is_last[axis] && part.to[axis] == own.n[axis]);
  for_rows_with_ghosts(tile, [&](const Index row, const CellIndex &cell, const Index n) {
    const auto within = [&](const int axis) {
      const Index at = cell[axis] - own.first[axis];
      return part.from[axis] <= at && at < end[axis];
    };
    const Index at = own.begin + row, first = cell[0] - own.first[0];
    if (!within(1) || !within(2))
      return f(at, n);
    f(at, part.from[0] - first);
    f(at + end[0] - first, n - (end[0] - first));
  });
}

template <class F>
void Tiles::for_rows_with_ghosts(const Index tile, F &&f) const
{
  const Block own = block(tile);
  const Index on0 = dim > 0, on1 = dim > 1, on2 = dim > 2;
  for (Index k = -on2; k < own.n[2] + on2; ++k)
    for (Index j = -on1; j < own.n[1] + on1; ++j)
      f(row_in_tile(j, k) - on0, CellIndex{own.first[0] - on0, own.first[1] + j, own.first[2] + k}, own.n[0] + 2 * on0);
}
} // namespace moreau::macro

#endif
