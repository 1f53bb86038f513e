// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MACRO_BOX_FIELDS_H
#define MOREAU_MACRO_BOX_FIELDS_H

#include "convex/cone_projection.h"
#include "geometry/box_grid.h"
#include "geometry/field_mesh.h"
#include "macro/vocabulary.h"

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

/// Own cells and their corners, without data.
FieldMesh cell_mesh(const BoxGrid &grid);

/// Own cells with these data, and `active`: 1 where p > 0.
FieldMesh field_mesh(const BoxGrid &grid, const BoxFields &fields);

/// 1 + e where u_plus = U - (1 + e)(U - u) up to rounding, one application of the law to problem.U; 0 where it is not.
double impact_factor(const convex::ProjectionProblem &problem, const convex::Vector &u, const convex::Vector &u_plus);
} // namespace moreau::macro

#endif
