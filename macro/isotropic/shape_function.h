// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MACRO_ISOTROPIC_SHAPE_FUNCTION_H
#define MOREAU_MACRO_ISOTROPIC_SHAPE_FUNCTION_H

#include "geometry/box_grid.h"
#include "macro/vocabulary.h"

namespace moreau::macro
{
/// The polynomial pieces of the C1 biquadratic (triquadratic) B-spline whose coefficients are values in cells.
///   coefficients  those of the cell and of all its neighbours up to date
///   xi            reference coordinates in [0,1]^dim (dim x n)
///   value         n;  gradient: dim x n, 1/m included
void evaluate_spline(const CellArray &coefficients, const CellIndex &cell, const Eigen::MatrixXd &xi, Vector &value,
                     Eigen::MatrixXd &gradient);

/// The points of a cell with reference coordinates xi in [0,1]^dim (dim x n) in m.
Eigen::MatrixXd points_of(const BoxGrid &grid, const CellIndex &cell, const Eigen::MatrixXd &xi);

/// Positions in a CellArray, relative to a cell, of the 3^dim cells around it, itself included, axis 0 fastest.
std::vector<Index> neighbourhood(const CellArray &array);

/// Calls f(cell) for own cells and for the cells of one layer beyond the sides of the box.
template <class F>
void for_own_cells_and_beyond(const BoxGrid &grid, F &&f)
{
  CellIndex begin = {0, 0, 0}, end = grid.n;
  begin[grid.last_axis()] = grid.first;
  end[grid.last_axis()]   = grid.last;
  for (int axis = 0; axis < grid.dim; ++axis)
    {
      begin[axis] -= begin[axis] == 0;
      end[axis] += end[axis] == grid.n[axis];
    }
  for (Index k = begin[2]; k < end[2]; ++k)
    for (Index j = begin[1]; j < end[1]; ++j)
      for (Index i = begin[0]; i < end[0]; ++i)
        f(CellIndex{i, j, k});
}

/// w: C1, positive in the zone and 0 where the zone ends freely. Near the boundary of the zone it is the level function,
/// times the distance from those sides of the box where the zone ends freely; further inside, where nothing but w > 0 and
/// smoothness matters, a spline through its values in cells, so that only a layer of cells evaluates the level at quadrature
/// points. A kink of the level there (that of a distance from the boundary) is flattened.
///
/// Gradients of the level are central differences of fourth order over 1/100 of a cell: relative errors of about 1e-11.
class ShapeFunction
{
public:
  /// level: one component, > 0 exactly in the zone; walls: sides of the box where the zone does not end freely.
  ShapeFunction(const Field &level, const BoxGrid &grid, const Sides &walls);

  /// w (n) and ∇w (dim x n) at reference points of an own cell.
  void evaluate(const CellIndex &cell, const Eigen::MatrixXd &xi, Vector &w, Eigen::MatrixXd &gradient) const;

  /// The level (n), at any points x (dim x n).
  void level(const Eigen::MatrixXd &x, Vector &values) const;

  /// w at the centres of the cells, continued beyond the box; ghosts up to date.
  const CellArray &at_centres() const { return centres; }
  /// w / |h∇w| at the centres: about the distance from the boundary of the
  /// zone in cells, negative outside. Ghosts up to date.
  const CellArray &depth() const { return depths; }
  const BoxGrid   &box_grid() const { return grid; }

private:
  void   find_free_sides(const Sides &walls);
  void   set_centres();
  void   set_depths();
  void   set_plateau();
  void   set_exact_layer();
  double flattened(double w, double &slope) const;
  void   product(const Eigen::MatrixXd &x, Vector &values) const;
  void   exact(const CellIndex &cell, const Eigen::MatrixXd &xi, Vector &w, Eigen::MatrixXd &gradient) const;

  Field              given;
  BoxGrid            grid;
  Sides              vanishes = {}; ///< on these sides of the box
  CellArray          centres, depths;
  double             plateau = 0.; ///< w is flattened towards this value; 0: it is not
  CellArray          smooth;       ///< coefficients of the spline that stands for w inside
  std::vector<Index> around;       ///< neighbourhood of a cell
  CellArray          weight;       ///< coefficients of the share of the exact w: 1 near the boundary, 0 inside
};
} // namespace moreau::macro

#endif
