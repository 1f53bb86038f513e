// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MACRO_BOX_FIELDS_H
#define MOREAU_MACRO_BOX_FIELDS_H

#include "macro/box_grid.h"
#include "macro/field_mesh.h"

namespace moreau::macro
{
/// One value or column per own cell, i fastest: what a picture of the isotropic cone shows.
struct BoxFields
{
  Eigen::MatrixXd U, u; ///< at the centres, dim x n (m/s)
  Vector          p, divergence, density, error_indicator;
};

/// Centres of the own cells, dim x n (m).
Eigen::MatrixXd own_centres(const BoxGrid &grid);

/// Own cells with these data, and `active`: 1 where p > 0.
FieldMesh field_mesh(const BoxGrid &grid, const BoxFields &fields);
} // namespace moreau::macro

#endif
