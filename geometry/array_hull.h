// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_GEOMETRY_ARRAY_HULL_H
#define MOREAU_GEOMETRY_ARRAY_HULL_H

#include "geometry/field.h"

#include <array>
#include <functional>

namespace moreau::geometry
{
/// What is known on a hull of a function that is constant on the cells of a grid.
///   positions  dim x m, the corners of the hull, in cells from the lower end of the grid: cell i is between i and i + 1
///   value      of a component in a cell, also in cells that the grid has not. Cells that the hull reaches by less than a
///              millionth of their length, as by rounding, are passed over.
OnHull hull_of_array(const Eigen::MatrixXd &positions, Index n_components,
                     const std::function<double(const std::array<Index, 3> &cell, Index component)> &value);
} // namespace moreau::geometry

#endif
