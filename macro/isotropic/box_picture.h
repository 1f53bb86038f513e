// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MACRO_ISOTROPIC_BOX_PICTURE_H
#define MOREAU_MACRO_ISOTROPIC_BOX_PICTURE_H

#include "geometry/box_grid.h"
#include "geometry/picture.h"
#include "macro/vocabulary.h"

#include <functional>

namespace moreau::macro
{
/// Centres of the own cells, i fastest: dim x n (m).
Eigen::MatrixXd own_centres(const BoxGrid &grid);

/// Sets what a picture shows of a cell; comes with u = U at the centre (m/s), p = 0 (m²/s) and div u = 0 (1/s).
using ShowCell = std::function<void(const CellIndex &cell, Eigen::Ref<Vector> u, double &p, double &divergence)>;

/// Own cells of a box with what Discretization::fields() promises of the isotropic cone. Called in one thread, i fastest.
///   density, error_indicator  one value per own cell; no error_indicator: 0
Mesh box_picture(const BoxGrid &grid, const Field &U, const Vector &density, const Vector &error_indicator,
                 const ShowCell &show);
} // namespace moreau::macro

#endif
