// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_TESTS_MACRO_SETTINGS_H
#define MOREAU_TESTS_MACRO_SETTINGS_H

#include "macro/discretize.h"

/// Settings that tests of several suites begin with.
namespace moreau::macro
{
/// U on [0, 1]^dim, saturated, with `cells` cells per unit length.
inline Setting unit_cube(const int dim, const Field &U, const double cells, const Sides &walls = {})
{
  Setting setting;
  setting.domain.lower               = Vector::Zero(dim);
  setting.domain.upper               = Vector::Ones(dim);
  setting.domain.walls               = walls;
  setting.mesh.cells_per_unit_length = cells;
  setting.U                          = U;
  setting.processes                  = Processes::alone();
  return setting;
}
} // namespace moreau::macro

#endif
