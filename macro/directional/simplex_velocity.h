// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MACRO_DIRECTIONAL_SIMPLEX_VELOCITY_H
#define MOREAU_MACRO_DIRECTIONAL_SIMPLEX_VELOCITY_H

#include "macro/directional/bisected_box.h"
#include "macro/directional/velocity_on_mesh.h"

namespace moreau::macro
{
/// A velocity that is linear on the simplices of a zone in a box, at a point. Beside the zone it is that of the nearest
/// point of one of its simplices, two cells of the grid away at most. Keeps references to box and zone.
class SimplexVelocity
{
public:
  /// v: coefficients, dim per node of the zone.
  SimplexVelocity(const BisectedBox &box, const SimplexZone &zone, Vector v);

  Reach operator()(const double *x, double *v) const;

private:
  Reach beside(const double *x, double *v) const;
  void  evaluate(int cell_of_zone, const SimplexPoint &lambda, double *v) const;

  const BisectedBox &box;
  const SimplexZone &zone;
  Vector             values;
  std::vector<int>   number; ///< per simplex of the box: that of the zone, or -1
};
} // namespace moreau::macro

#endif
