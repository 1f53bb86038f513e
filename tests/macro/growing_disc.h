// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_TESTS_MACRO_GROWING_DISC_H
#define MOREAU_TESTS_MACRO_GROWING_DISC_H

#include "geometry/box_grid.h"

#include <algorithm>

namespace moreau::macro
{
/// (ρ* - 1)/h in the plane where matter of density 1/2 flows with speed 1 onto a disc of density 1 at rest around the
/// middle of the unit square, in a step h of 0.3 cells.
inline CellArray growing_disc(const BoxGrid &grid, const double radius)
{
  const double cell = grid.h(0), step = .3 * cell;
  const auto   density = [&](const Vector &x) { return .5 + .5 * std::clamp((radius - x.norm()) / cell + .5, 0., 1.); };
  const auto   flux    = [&](const Vector &x, const int axis) {
    return x.norm() < radius ? 0. : -x(axis) / x.norm() * density(x + .5 * cell * x.normalized());
  };
  CellArray f(grid);
  for_own_cells(grid, [&](const CellIndex &c) {
    const Vector x      = grid.centre(c).array() - .5;
    double       excess = density(x) - 1.;
    for (int axis = 0; axis < 2; ++axis)
      for (const int side : {-1, 1})
        excess -= .3 * side * flux(x + .5 * side * cell * Vector::Unit(2, axis), axis);
    f(c) = excess / step;
  });
  return f;
}
} // namespace moreau::macro

#endif
