// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_GEOMETRY_BOX_GRID_H
#define MOREAU_GEOMETRY_BOX_GRID_H

#include "geometry/processes.h"
#include "geometry/progress.h"

#include <array>
#include <vector>

/// The box Ω cut into equal cells, and arrays on its cells and faces. Letters: axes a = 0 ... dim-1, cells (i, j, k) with i
/// along axis 0; directions that do not exist have one cell and index 0.
namespace moreau::geometry
{
using CellIndex = std::array<Index, 3>;

/// n_0 x n_1 x n_2 equal cells, shared among processes by layers of the last axis: this one owns the cells with
/// first <= (index along the last axis) < last. Every process owns at least one layer.
struct BoxGrid
{
  int                  dim = 0;
  std::array<Index, 3> n   = {1, 1, 1};
  Vector               lower, h; ///< lower corner and sides of a cell, length dim (m)
  Index                first = 0, last = 1;
  Processes            processes;

  int    last_axis() const { return dim - 1; }
  double cell_volume() const { return h.prod(); }
  double face_area(const int axis) const { return cell_volume() / h(axis); }
  Index  n_cells() const { return n[0] * n[1] * n[2]; } ///< of all processes
  /// Extent along an axis of what this process owns.
  Index own(const int axis) const { return axis == last_axis() ? last - first : n[axis]; }
  Index n_own_cells() const { return own(0) * own(1) * own(2); }

  /// Centre of a cell, by global indices (m).
  Vector centre(const CellIndex &cell) const;
};

/// Cells of side about 1/cells_per_unit_length, a whole number of them along each axis. Fewer processes than layers share
/// it; throws InputError("the cells per unit length", ...) where there are more processes than layers or no finite number
/// of cells.
BoxGrid box_grid(const Vector &lower, const Vector &upper, double cells_per_unit_length, const Processes &processes);

/// Gives this process its layers of a grid. Throws as box_grid() does where there are more processes than layers.
void share_layers(BoxGrid &grid, const Processes &processes);

/// One number per own cell and per cell of one ghost layer on all sides; ghosts beyond the box stay what `outside` was.
class CellArray
{
public:
  CellArray() = default;
  explicit CellArray(const BoxGrid &grid, double value = 0., double outside = 0.);

  /// By global indices; along every axis one less and one more than what is owned is allowed.
  double  operator()(const CellIndex &cell) const { return values(position(cell)); }
  double &operator()(const CellIndex &cell) { return values(position(cell)); }

  /// Fetches the ghost layers that neighbouring processes own.
  void update_ghosts();

  const BoxGrid &box_grid() const { return grid; }
  Index          position(const CellIndex &cell) const
  {
    return (cell[0] + shift[0]) + extent[0] * ((cell[1] + shift[1]) + extent[1] * (cell[2] + shift[2]));
  }
  Index stride(const int axis) const { return axis == 0 ? 1 : axis == 1 ? extent[0] : extent[0] * extent[1]; }

  Vector values; ///< i fastest; ghosts included

private:
  BoxGrid              grid;
  std::array<Index, 3> shift = {0, 0, 0}, extent = {0, 0, 0};
};

/// Ghosts from neighbouring processes and, along periodic axes, from the other end of the box.
void update_ghosts(CellArray &array, const std::array<bool, 3> &periodic);

/// One number per face of every own cell. Face (i, j, k) of axis a is the lower one of cell (i, j, k) along a; its upper one
/// has the index one higher along a. Along the last axis the faces between two processes are held by both.
class FaceArrays
{
public:
  FaceArrays() = default;
  explicit FaceArrays(const BoxGrid &grid, double value = 0.);

  double  operator()(const int axis, const CellIndex &face) const { return values[axis](position(axis, face)); }
  double &operator()(const int axis, const CellIndex &face) { return values[axis](position(axis, face)); }

  const BoxGrid &box_grid() const { return grid; }
  Index          position(const int axis, const CellIndex &face) const
  {
    CellIndex local = face;
    local[grid.last_axis()] -= grid.first;
    const Index n0 = grid.own(0) + (axis == 0), n1 = grid.own(1) + (axis == 1);
    return local[0] + n0 * (local[1] + n1 * local[2]);
  }

  std::array<Vector, 3> values; ///< per axis, i fastest

private:
  BoxGrid grid;
};

/// Sides of the box in the order left, right (x), bottom, top (y), back, front (z): side 2a is the lower one of axis a.
using Sides = std::array<bool, 6>;

/// Per axis, whether one of its two sides is a wall: then velocities along it are relative to the wall.
std::vector<bool> axes_with_walls(const Sides &walls, int dim);

/// The saturated zone as a set of cells. On sides that are walls, matter cannot leave; p = 0 wherever else the zone ends.
struct BoxZone
{
  BoxGrid             grid;
  std::vector<char>   saturated; ///< laid out as CellArray, ghosts included; 0 beyond the box, but for periodic axes
  Sides               walls    = {};
  std::array<bool, 3> periodic = {}; ///< axes along which the box repeats itself; without walls

  bool operator()(const CellIndex &cell) const { return saturated[layout.position(cell)] != 0; }

  BoxZone() = default;
  BoxZone(const BoxGrid &grid, const Sides &walls, const std::array<bool, 3> &periodic = {});
  void set(const CellIndex &cell, const bool value) { saturated[layout.position(cell)] = value; }
  void update_ghosts();

  Index n_own_cells() const; ///< saturated ones
private:
  CellArray layout;
};

/// Mean of U·(axis direction) on every face, by Gauss's rule with n_gauss
/// points per direction of the face. U has dim components.
FaceArrays face_means(const BoxGrid &grid, const Field &U, int n_gauss = 3, const Progress &progress = {});

/// Calls f(cell) for all own cells, i fastest, in one thread.
template <class F>
void for_own_cells(const BoxGrid &grid, F &&f)
{
  CellIndex begin = {0, 0, 0}, end = grid.n;
  begin[grid.last_axis()] = grid.first;
  end[grid.last_axis()]   = grid.last;
  for (Index k = begin[2]; k < end[2]; ++k)
    for (Index j = begin[1]; j < end[1]; ++j)
      for (Index i = begin[0]; i < end[0]; ++i)
        f(CellIndex{i, j, k});
}

/// `cell` moved by `by` along an axis.
inline CellIndex moved(CellIndex cell, const int axis, const Index by)
{
  cell[axis] += by;
  return cell;
}
} // namespace moreau::geometry

#endif
