// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_GEOMETRY_FILL_PICTURE_H
#define MOREAU_GEOMETRY_FILL_PICTURE_H

#include "geometry/field.h"
#include "geometry/picture.h"

#include <string>
#include <vector>

/// How columns of numbers and grids of boxes become parts of pictures.
namespace moreau::geometry
{
struct BoxGrid;

using Columns = Eigen::Ref<const Eigen::MatrixXd>; ///< one per point or cell

/// Columns of up to three rows, each filled up with zeros to three: points and velocities.
std::vector<double> three_components(const Columns &columns);

/// The same of vectors of length dim, interleaved.
std::vector<double> three_components(const Vector &v, Index dim);

/// As many components as there are rows.
Array array_of(std::string name, std::string unit, const Columns &columns);

/// Three components, zeros beyond the rows.
Array vectors_of(std::string name, std::string unit, const Columns &columns);

/// The mesh "continuum" without points and cells.
Mesh continuum(CellType type);

/// What the cells of a box are: lines, quadrilaterals, hexahedra.
CellType cell_of_box(int dim);

/// The mesh "continuum" of the own cells, i fastest, and their corners, without data.
Mesh cell_mesh(const BoxGrid &grid);
} // namespace moreau::geometry

#endif
