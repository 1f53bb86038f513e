// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MACRO_DIRECTIONAL_LATTICES_ALIGNED_GRID_H
#define MOREAU_MACRO_DIRECTIONAL_LATTICES_ALIGNED_GRID_H

#include "convex/chains/chain_families.h"
#include "macro/saturated_cells.h"
#include "geometry/box_grid.h"
#include "geometry/quadrature.h"
#include "macro/directional/lattices/oblique_walls.h"
#include "macro/discretize.h"

/// Meshes along orthogonal directions (square and cubic lattices): a grid of equal cells in a frame that may be turned
/// against the box, and the chains of the cells that hold saturated matter. Such a cell is a node; its number counts them
/// with i fastest.
namespace moreau::macro
{
/// The grid and the zone on it; or, where processes share it, what one of them has of both.
struct AlignedGrid
{
  static constexpr int none = -1;

  /// Layers of cells across an axis: those of this process, and one ghost beside them on either side that others own.
  struct Layers
  {
    int   axis  = 0;
    Index below = 0, all = 1;  ///< of the whole grid: before the first one here, and all of them
    Index first = 0, last = 1; ///< own ones, counted from the first one here: first <= index < last
  };

  int                  dim = 0;
  Eigen::MatrixXd      frame;             ///< dim x dim, orthonormal: column a is the direction of axis a
  Vector               origin, h;         ///< lower corner of cell (0,0,0) (m); sides of a cell along the axes (m)
  std::array<Index, 3> n = {1, 1, 1};     ///< cells along the axes, those here
  Layers               layers;            ///< the whole grid where one process has it
  Sides                walls  = {};       ///< only where the frame is that of the box; where the layers here end there
  bool                 is_box = true;     ///< the cells of the grid are the box, cut into cells
  std::vector<int>     axis_of_direction; ///< per direction e_k of the cone: the axis along it

  std::vector<int>   node; ///< per cell, i fastest: its number, or none
  std::vector<Index> cell_of_node;
  Vector             volume;   ///< per node: of the saturated part of its cell (m^dim)
  Vector             U;        ///< dim * n_own: means over these parts (m/s)
  std::vector<char>  is_rough; ///< per cell: it, or one beside it, is cut, or U jumps in it

  Index first_own = 0, n_own = 0; ///< nodes of own layers, which are consecutive where these lie across the last axis

  // of all processes
  Index  n_all = 0, n_all_whole = 0; ///< nodes, and those that are whole cells
  Index  n_before      = 0;          ///< nodes that lower processes own
  bool   zone_is_cells = true;       ///< the zone is a union of cells, as far as samples tell
  bool   zone_is_seen  = true;       ///< it is, or samples tell that it is not; else parts of it may be overlooked
  double zone_volume   = 0.;         ///< (m^dim)
  double zone_error    = 0.;         ///< of it, estimated (m^dim)

  std::vector<WallPiece> on_walls; ///< what cells of a turned frame have of walls
  Motion                 outside;  ///< what is in the box and in no node

  AlignedGrid(int dim) : dim(dim), outside(dim) {}

  /// The cells here without frame and origin.
  BoxGrid cells() const;

  /// Of the whole grid the layers first <= index < last across an axis, and a ghost on either side. Before there are nodes.
  void keep(int axis, Index first, Index last);

  /// Makes nodes of the cells here that hold some volume (m^dim; all others: 0).
  void fill(const Vector &volume_of_cell);

  /// First own nodes of own layers across the last axis, counted from the first own node, and n_own.
  std::vector<Index> own_layers() const;

  bool is_whole(const Index node) const { return volume(node) == cell_volume(); }

  /// The part of a face that matter touches from both sides (walls: from one), as samples tell: 0 where no line of the zone
  /// runs through it. `cell` is that above the face along the axis.
  double passage(const int axis, const CellIndex &cell) const { return zone_is_cells ? 1. : passages(axis, cell); }

  Index     n_cells() const { return n[0] * n[1] * n[2]; }
  Index     n_nodes() const { return static_cast<Index>(cell_of_node.size()); } ///< ghosts included
  bool      owns(const Index node) const { return first_own <= node && node < first_own + n_own; }
  double    cell_volume() const { return h.prod(); }
  double    face_area(const int axis) const { return cell_volume() / h(axis); }
  CellIndex cell_index(const Index cell) const { return {cell % n[0], cell / n[0] % n[1], cell / (n[0] * n[1])}; }
  Index     position(const CellIndex &cell) const { return cell[0] + n[0] * (cell[1] + n[1] * cell[2]); }

  /// Where points with reference coordinates xi in [0,1]^dim (dim x m) of these cells lie: dim x (m * cells), cell after
  /// cell.
  void points(const Index *cells, Index n_cells, const Eigen::MatrixXd &xi, Eigen::MatrixXd &x) const;

  geometry::FaceArrays passages; ///< of passage(); empty where the zone is a union of cells
};

/// The grid along the directions of the cone, which must be mutually orthogonal and as many as the dimension. Turned
/// by a multiple of 90 degrees it is the box grid; else it consists of cells of side 1/cells_per_unit_length with a
/// corner in the lower corner of the box. The boundary of the zone cuts cells: each is a node with the part of it
/// that is saturated, unless that is less than 1e-6 of the cell.
/// Processes that share it (setting.processes) call together; each has layers across the last axis, at least one. Nothing
/// but the cut depends on how many there are. They share none with walls that cut cells.
AlignedGrid aligned_grid(const Setting &setting, const Progress &progress = {});

/// The passages of `grid` through faces along an axis between nodes, and at walls, of which one is cut: where the zone is no
/// union of cells.
void set_passages(AlignedGrid &grid, const Domain &domain, int axis, const Progress &progress = {});

/// The points across an axis, in [0,1]^dim with 0 along the axis, through which certificates follow lines.
Rule lines_along(int dim, int axis);

/// The chains of nodes along every direction of the cone (family k along e_k or -e_k), with fixed bodies where
/// they end at walls. Cells beside each other are tied where a line of the zone runs from one to the other.
/// Rows of B are numbered family after family and run after run: first the wall before the run, the pairs, then the wall
/// behind it.
convex::ChainFamilies chains_of(const AlignedGrid &grid);

/// Those along one axis, rows numbered from n_rows on, which becomes the number of the next one.
convex::ChainFamilies::Family chains_along(const AlignedGrid &grid, int axis, int &n_rows);

/// B of chains: rows -e·(v_j - v_i) <= 0 between neighbours, v·n <= 0 at walls; then v·n <= 0 for each piece of on_walls.
std::shared_ptr<const convex::PairConstraint> constraint_of(const convex::ChainFamilies  &chains,
                                                            const std::vector<WallPiece> &on_walls);

/// Of the part of the box that `covered` leaves out, by Gauss's rule on about `cells_per_unit_length` cells.
Motion outside(const Setting &setting, const std::function<bool(const Vector &x)> &covered);
} // namespace moreau::macro

#endif
