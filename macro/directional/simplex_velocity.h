// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MACRO_DIRECTIONAL_SIMPLEX_VELOCITY_H
#define MOREAU_MACRO_DIRECTIONAL_SIMPLEX_VELOCITY_H

#include "macro/directional/simplex_mesh.h"
#include "macro/directional/velocity_on_mesh.h"

namespace moreau::macro
{
/// A velocity that is linear on the simplices of a zone in kuhn_subdivision(grid), at a point: in a cell, the order of the
/// coordinates tells the simplex and their differences are its barycentric coordinates. Beside the zone it is that of the
/// nearest point of one of its simplices, two cells away at most. Keeps references to grid and zone.
class SimplexVelocity
{
public:
  /// v: coefficients, dim per node of the zone.
  SimplexVelocity(const BoxGrid &grid, const SimplexZone &zone, Vector v);

  Reach operator()(const double *x, double *v) const;

private:
  using Local = std::array<double, 3>; ///< in cells along the axes
  using Axes  = std::array<int, 3>;

  Reach beside(const Local &s, double *v) const;
  Local nearest(const Local &xi, const Axes &axes) const;
  Index position(const CellIndex &cell) const { return cell[0] + grid.n[0] * (cell[1] + grid.n[1] * cell[2]); }
  int   of_cell(const CellIndex &cell, int order) const { return number[n_orders * position(cell) + order]; }
  void  evaluate(int simplex, const Axes &axes, const Local &xi, double *v) const;

  const BoxGrid     &grid;
  const SimplexZone &zone;
  Vector             values;
  int                n_orders; ///< simplices of a cell: dim!
  std::vector<int>   number;   ///< per simplex of the subdivision: that of the zone, or -1
};
} // namespace moreau::macro

#endif
