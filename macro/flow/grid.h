// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MACRO_FLOW_GRID_H
#define MOREAU_MACRO_FLOW_GRID_H

#include "macro/flow/congested_flow.h"
#include "macro/flow/tiles.h"

#include <algorithm>
#include <optional>
#include <vector>

namespace moreau::macro
{
using FaceCells = std::array<CellArray, 3>; ///< per axis, as FlowGrid has it; empty where an axis does not exist

/// The staggered grid of a flow. Quantities on faces of axis a are CellArrays: the entry of a cell is its lower face along
/// a, so that the last face of the box stands in the ghost layer behind it.
/// Where an axis is periodic that one is a copy of the first.
///
/// A grid may be one of tiles: then arrays hold, and loops visit, the cells of the tiles that are there alone, in the order
/// that they have in an array of all cells, and everything else is 0. Its arrays are known by positions, not by cells.
class FlowGrid
{
public:
  /// rho_max: 0 in solid cells.
  FlowGrid(const BoxGrid &grid, const std::array<Boundary, 6> &sides, const CellArray &rho_max);

  /// In tiles, none of which is there. Keeps a reference.
  static FlowGrid in_tiles(const FlowGrid &whole);

  const FlowGrid &whole() const { return of_all ? *of_all : *this; } ///< of all cells of this process
  const Tiles    &tiles() const { return *blocks; }                  ///< of a grid of tiles

  /// As Tiles has it; arrays are to follow, see fit().
  void                              add_tiles(const std::vector<Index> &tiles);
  void                              visit_tiles(const std::vector<Tiles::Part> &parts) { blocks->visit(parts); }
  void                              visit_all_of(const Index tile) { blocks->visit_all_of(tile); }
  std::optional<std::vector<Index>> pack_tiles();

  const BoxGrid          &box() const { return grid; }
  int                     dim() const { return grid.dim; }
  std::array<bool, 3>     periodic() const { return is_periodic; }
  Boundary                side(const int s) const { return sides[s]; }
  const std::vector<int> &inflow_sides() const { return entries; } ///< where matter may come in
  Index                   stride(const int axis) const { return blocks ? blocks->stride(axis) : layout.stride(axis); }
  Index                   size() const { return blocks ? blocks->size() : layout.values.size(); } ///< of an array
  /// Of a cell or face; of tiles Tiles::none where it is not there.
  Index position(const CellIndex &cell) const { return blocks ? blocks->position(cell) : layout.position(cell); }
  /// A cell over periodic sides; none beyond the box.
  std::optional<CellIndex> wrapped(const CellIndex &cell) const
  {
    for (int axis = 0; axis < dim(); ++axis)
      if (cell[axis] < 0 || cell[axis] >= grid.n[axis])
        return wrapped_from_beyond(cell);
    return cell;
  }
  std::optional<Index> find(const CellIndex &cell) const; ///< position of a cell that need not be wrapped, in all cells
  const Vector        &open(const int axis) const { return opened[axis]; } ///< 1 on faces that matter may cross, else 0
  const std::array<Vector, 3> &open() const { return opened; }
  /// ρ̄ on open faces, else 0; of tiles none.
  const std::array<Vector, 3> &capacities() const { return capacity_of_faces; }
  const Vector                &capacity(const int axis) const { return capacity_of_faces[axis]; }
  /// Positions of cells that touch a solid, also by a corner, ghosts up to date: 1, else 0; empty where there is none. Of
  /// tiles empty.
  const Vector &beside_solids() const { return touching; }
  /// 1 on faces of an axis whose dual cell holds other shares of its cells than one beside it across the axis does, as at
  /// the corners of solids, and on closed ones of cells whose opposite face is closed, too; else 0. Empty without solids.
  const Vector &at_corners(const int axis) const { return corners[axis]; }
  /// Whether the dual cells of two faces of an axis hold the same shares of their cells.
  bool same_shares(const int axis, const Index c, const Index other) const
  {
    return shares_below[axis](c) == shares_below[axis](other) && shares_above[axis](c) == shares_above[axis](other);
  }
  /// Shares of the cells below and above in the dual cell of a face: ½, but 1 where the cell touches a wall of the box or
  /// a solid with its other face, and 0 for faces on these: what lies there moves with the nearest face that can move.
  const Vector &share_below(const int axis) const { return shares_below[axis]; }
  const Vector &share_above(const int axis) const { return shares_above[axis]; }
  /// ½ where both faces along the axis of the cell below a face belong to dual cells; else 0.
  const Vector &between(const int axis) const { return betweens[axis]; }

  /// How often what leaves a cell through a face counts against what it has: 2
  /// at the sides of the box, where dual cells are half cells.
  const Vector &outflow_weight(const int axis) const { return weights[axis]; }
  CellArray     array() const; ///< zeros
  FaceCells     faces() const; ///< likewise, for each axis
  /// Makes an array of another grid, or of none, one of this grid: whatever it holds, all of it is finite.
  void suit(CellArray &array) const;

  /// Ghosts from neighbouring processes and, where an axis is periodic, from the other end.
  void exchange(CellArray &array) const;

  /// f(position of the first, its index, number) for the own cells, row by row.
  template <class F>
  void for_cell_rows(F &&f) const
  {
    for_rows({0, 0, 0}, f);
  }

  /// The same for the faces of an axis that this process computes: the lower
  /// ones of own cells and, at the upper end of the box, the last ones.
  template <class F>
  void for_face_rows(const int axis, F &&f) const
  {
    std::array<Index, 3> more = {0, 0, 0};
    more[axis]                = holds_last_faces(axis);
    for_rows(more, f);
  }

  /// f(position) for the own cells, and for the faces of an axis that this process computes.
  template <class F>
  void for_cells(F &&f) const
  {
    for_cell_rows([&](const Index row, const CellIndex &, const Index n) {
      for (Index c = row; c < row + n; ++c)
        f(c);
    });
  }
  template <class F>
  void for_faces(const int axis, F &&f) const
  {
    for_face_rows(axis, [&](const Index row, const CellIndex &, const Index n) {
      for (Index c = row; c < row + n; ++c)
        f(c);
    });
  }

  /// f(position, position in whole()) likewise.
  template <class F>
  void for_cells_in_whole(F &&f) const
  {
    for_cell_rows([&](const Index row, const CellIndex &first, const Index n) {
      const Index of_whole = whole().position(first);
      for (Index k = 0; k < n; ++k)
        f(row + k, of_whole + k);
    });
  }
  template <class F>
  void for_faces_in_whole(const int axis, F &&f) const
  {
    for_face_rows(axis, [&](const Index row, const CellIndex &first, const Index n) {
      const Index of_whole = whole().position(first);
      for (Index k = 0; k < n; ++k)
        f(row + k, of_whole + k);
    });
  }

  /// Whether f(cell) holds for some cell that is at most `reach` away along each axis, over periodic sides too; the cell
  /// itself is among them.
  template <class F>
  bool any_around(const CellIndex &cell, Index reach, F &&f) const;

  /// Whether f(position) holds for a cell, or one of those that touch it, also by a corner; beyond the box and in the layers
  /// of other processes there are ghosts.
  template <class F>
  bool any_touching(Index cell, F &&f) const;

  /// The cells that `start` reaches, itself the first of them, from neighbour to neighbour, over periodic sides too, not
  /// wrapped there; none where it does not join. joins(wrapped cell): whether it belongs to them and was not found before.
  template <class F>
  std::vector<CellIndex> connected(const CellIndex &start, F &&joins) const;

  /// f(axis, face, position of the cell behind it) for the faces of an own cell that lead to other cells of this process,
  /// over periodic sides too.
  template <class F>
  void for_neighbours(Index cell, F &&f) const;

  /// From an own cell on to all own ones that f(axis, position of the face, position of the cell behind it) is true for,
  /// which is to be once each.
  template <class F>
  void spread(const Index start, F &&f) const
  {
    std::vector<Index> reached = {start};
    while (!reached.empty())
      {
        const Index from = reached.back();
        reached.pop_back();
        for_neighbours(from, [&](const int axis, const Index face, const Index other) {
          if (f(axis, face, other))
            reached.push_back(other);
        });
      }
  }

  /// The face itself, but the first one of a periodic axis for its last one, which is a copy.
  CellIndex computed_face(const int axis, CellIndex face) const
  {
    if (is_periodic[axis] && grid.own(axis) == grid.n[axis] && face[axis] == grid.n[axis])
      face[axis] = 0;
    return face;
  }

  /// Whether a cell is one of this process.
  bool is_here(const CellIndex &cell) const
  {
    return grid.first <= cell[grid.last_axis()] && cell[grid.last_axis()] < grid.last;
  }

  /// Over all processes.
  double sum(const double local) const { return grid.processes.sum(local); }
  double largest(const double local) const { return grid.processes.max(local); }

  /// f(position of the face, position of the cell inside, index of that cell)
  /// for the own faces on side 2 axis or 2 axis + 1 of the box.
  template <class F>
  void for_side(int side, F &&f) const;

  /// Whether the faces behind the last cells of the axis are this process' own.
  bool holds_last_faces(const int axis) const
  {
    return !is_periodic[axis] && (axis != grid.last_axis() || grid.last == grid.n[axis]);
  }

private:
  void find_beside_solids(const CellArray &rho_max);
  void find_corners(int axis);
  void set_shares(int axis);
  void set_shares_at_solids(int axis);
  template <class F>
  void                     for_rows(const std::array<Index, 3> &more, F &&f) const;
  void                     exchange_borders(CellArray &array) const;
  std::optional<CellIndex> wrapped_from_beyond(CellIndex cell) const;

  FlowGrid(const FlowGrid *whole, Tiles tiles);

  BoxGrid                 grid;
  std::array<Boundary, 6> sides;
  std::array<bool, 3>     is_periodic = {false, false, false};
  std::vector<int>        entries;
  CellArray               layout; ///< zeros; of tiles empty
  Vector                  touching;
  std::array<Vector, 3>   opened, capacity_of_faces, weights, shares_below, shares_above, betweens, corners;
  const FlowGrid         *of_all = nullptr; ///< of tiles: see whole()
  std::optional<Tiles>    blocks;

  static const std::array<std::array<Vector, 3> FlowGrid::*, 6> of_tiles; ///< what grids of tiles know of their faces
};

/// Mass flux through the lower boundary of dual cells, in direction b: through the centre of the cell below where b is their
/// own axis, else a mean of the fluxes through the faces of the two cells. With it ρ_D changes as ρ does, but where dual
/// cells beside each other hold other shares of their cells (FlowGrid::at_corners).
class DualFlux
{
public:
  DualFlux(const FlowGrid &grid, const int axis, const int b, const CellArray &flux)
      : DualFlux(grid, axis, flux, b == axis ? grid.between(axis) : grid.share_below(axis),
                 b == axis ? grid.between(axis) : grid.share_above(axis))
  {}

  /// What of two cells belongs to the dual cell of the face between them.
  static DualFlux mean(const FlowGrid &grid, const int axis, const CellArray &cells)
  {
    return DualFlux(grid, axis, cells, grid.share_below(axis), grid.share_above(axis));
  }

  double operator()(const Index face) const { return through(face, face); }

  /// Through the boundary at `edge` of a dual cell that holds the shares of that of face c.
  double through(const Index edge, const Index c) const { return below[c] * g[edge - s] + above[c] * g[edge]; }

private:
  DualFlux(const FlowGrid &grid, const int axis, const CellArray &of_cells, const Vector &weights_below,
           const Vector &weights_above)
      : g(of_cells.values.data()), below(weights_below.data()), above(weights_above.data()), s(grid.stride(axis))
  {}

  const double *g, *below, *above;
  Index         s;
};

/// -div v on own cells (1/s); ghosts of v up to date.
void negative_divergence(const FlowGrid &grid, const FaceCells &v, CellArray &result);

/// result -= weight ∇q on faces; ghosts of q up to date.
void subtract_gradient(const FlowGrid &grid, const CellArray &q, const std::array<Vector, 3> &weights, FaceCells &result);

/// FlowGrid's layout -> FaceArrays.
FaceArrays face_arrays(const FlowGrid &grid, const FaceCells &faces);

template <class F>
void FlowGrid::for_rows(const std::array<Index, 3> &more, F &&f) const
{
  if (blocks)
    return blocks->for_rows(more, f);
  CellIndex begin = {0, 0, 0}, end = grid.n;
  begin[grid.last_axis()] = grid.first;
  end[grid.last_axis()]   = grid.last;
  for (Index k = begin[2]; k < end[2] + (grid.dim > 2 ? more[2] : 0); ++k)
    for (Index j = begin[1]; j < end[1] + (grid.dim > 1 ? more[1] : 0); ++j)
      {
        const CellIndex first = {begin[0], j, k};
        f(layout.position(first), first, grid.own(0) + more[0]);
      }
}

template <class F>
bool FlowGrid::any_around(const CellIndex &cell, const Index reach, F &&f) const
{
  CellIndex to = {0, 0, 0};
  std::fill_n(to.begin(), dim(), reach);
  for (Index k = -to[2]; k <= to[2]; ++k)
    for (Index j = -to[1]; j <= to[1]; ++j)
      for (Index i = -to[0]; i <= to[0]; ++i)
        if (const auto there = wrapped({cell[0] + i, cell[1] + j, cell[2] + k}); there && f(*there))
          return true;
  return false;
}

template <class F>
bool FlowGrid::any_touching(const Index cell, F &&f) const
{
  const Index y = dim() > 1 ? 1 : 0, z = dim() > 2 ? 1 : 0;
  for (Index k = -z; k <= z; ++k)
    for (Index j = -y; j <= y; ++j)
      for (Index i = -1; i <= 1; ++i)
        if (f(cell + i * stride(0) + (y > 0 ? j * stride(1) : 0) + (z > 0 ? k * stride(2) : 0)))
          return true;
  return false;
}

template <class F>
std::vector<CellIndex> FlowGrid::connected(const CellIndex &start, F &&joins) const
{
  std::vector<CellIndex> cells;
  if (joins(start))
    cells.push_back(start);
  for (std::size_t next = 0; next < cells.size(); ++next)
    for (int axis = 0; axis < dim(); ++axis)
      for (const Index by : {-1, 1})
        {
          const CellIndex cell  = moved(cells[next], axis, by);
          const auto      there = wrapped(cell);
          if (there && joins(*there))
            cells.push_back(cell);
        }
  return cells;
}

template <class F>
void FlowGrid::for_neighbours(const Index cell, F &&f) const
{
  for (int axis = 0; axis < dim(); ++axis)
    {
      const Index s = stride(axis), extent = grid.own(axis), at = cell / s % (extent + 2) - 1; // among the own ones
      const bool  ring = is_periodic[axis] && extent == grid.n[axis];
      if (at > 0 || ring)
        f(axis, cell, at > 0 ? cell - s : cell + (extent - 1) * s);
      if (at < extent - 1 || ring)
        f(axis, at < extent - 1 ? cell + s : cell - (extent - 1) * s, at < extent - 1 ? cell + s : cell - (extent - 1) * s);
    }
}

template <class F>
void FlowGrid::for_side(const int side, F &&f) const
{
  const int   axis = side / 2;
  const Index at = side % 2 ? grid.n[axis] - 1 : 0, to_face = side % 2 ? stride(axis) : 0;
  for_cell_rows([&](const Index row, const CellIndex &first, const Index n) {
    if (axis > 0 && first[axis] != at)
      return;
    const Index begin = axis > 0 ? 0 : at - first[0], end = axis > 0 ? n : std::min(n, begin + 1);
    for (Index k = std::max<Index>(begin, 0); k < end; ++k)
      f(row + k + to_face, row + k, moved(first, 0, k));
  });
}
} // namespace moreau::macro

#endif
