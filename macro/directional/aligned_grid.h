// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MACRO_DIRECTIONAL_ALIGNED_GRID_H
#define MOREAU_MACRO_DIRECTIONAL_ALIGNED_GRID_H

#include "convex/solvers/chain_families.h"
#include "macro/saturated_cells.h"
#include "geometry/quadrature.h"
#include "macro/vocabulary.h"

/// Meshes along orthogonal directions (square and cubic lattices): a grid of equal cells in a frame that may be turned
/// against the box, and the chains of its saturated cells. A saturated cell is a node; its number counts saturated cells
/// with i fastest.
namespace moreau::macro
{
/// The grid and the zone on it.
struct AlignedGrid
{
  static constexpr int none = -1;

  int                  dim = 0;
  Eigen::MatrixXd      frame;             ///< dim x dim, orthonormal: column a is the direction of axis a
  Vector               origin, h;         ///< lower corner of cell (0,0,0) (m); sides of a cell along the axes (m)
  std::array<Index, 3> n     = {1, 1, 1}; ///< cells along the axes
  Sides                walls = {};        ///< only where the frame is that of the box
  std::vector<int>     node;              ///< per cell, i fastest: its number, or none
  std::vector<Index>   cell_of_node;
  bool                 is_box        = true; ///< the cells of the grid are the box, cut into cells
  bool                 zone_is_cells = true; ///< the zone is a union of cells, as far as samples tell
  std::vector<int>     axis_of_direction;    ///< per direction e_k of the cone: the axis along it

  Index     n_cells() const { return n[0] * n[1] * n[2]; }
  Index     n_nodes() const { return static_cast<Index>(cell_of_node.size()); }
  double    cell_volume() const { return h.prod(); }
  double    face_area(const int axis) const { return cell_volume() / h(axis); }
  CellIndex cell_index(const Index cell) const { return {cell % n[0], cell / n[0] % n[1], cell / (n[0] * n[1])}; }
  Index     position(const CellIndex &cell) const { return cell[0] + n[0] * (cell[1] + n[1] * cell[2]); }

  /// Where points with reference coordinates xi in [0,1]^dim (dim x m) of these cells lie: dim x (m * cells), cell after
  /// cell.
  void points(const Index *cells, Index n_cells, const Eigen::MatrixXd &xi, Eigen::MatrixXd &x) const;

  /// Whether a point lies in a saturated cell.
  bool covers(const Vector &x) const;
};

/// The grid along the directions of the cone, which must be mutually orthogonal and as many as the dimension. Turned by a
/// multiple of 90 degrees it is the box grid; else it consists of cells of side 1/cells_per_unit_length with a corner in the
/// lower corner of the box.
/// A cell is saturated where its centre and its corners are. Throws InputError("the walls", ...) for walls that no line
/// ends at.
AlignedGrid aligned_grid(const Setting &setting);

/// Means over saturated cells (length dim * n_nodes), by Gauss's rule with 3 points per direction.
Vector cell_means(const AlignedGrid &grid, const Field &U);

/// The chains of saturated cells along every direction of the cone (family k along e_k or -e_k), with fixed bodies where
/// they end at walls.
/// Rows of B are numbered family after family and run after run: first the wall before the run, the pairs, then the wall
/// behind it.
convex::ChainFamilies chains_of(const AlignedGrid &grid);

/// B of chains: rows -e·(v_j - v_i) <= 0 between neighbours, v·n <= 0 at walls.
std::shared_ptr<const convex::PairConstraint> constraint_of(const convex::ChainFamilies &chains);

/// Of the part of the box that `covered` leaves out, by Gauss's rule on about `cells_per_unit_length` cells.
Motion outside(const Setting &setting, const std::function<bool(const Vector &x)> &covered);
} // namespace moreau::macro

#endif
