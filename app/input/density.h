// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_APP_INPUT_DENSITY_H
#define MOREAU_APP_INPUT_DENSITY_H

#include "geometry/field.h"

#include <optional>
#include <string>
#include <vector>

/// Where matter is: densities in files, and shapes in the text of densities.
namespace moreau::app
{
/// The density that a CSV file gives on a regular grid: columns x[,y[,z]],rho in any order, one row per cell with its centre
/// (m), in any order, every cell of the grid once; at least two cells along
/// each axis, since the file does not say how long a cell is otherwise.
/// In a point it is the rho of the cell that holds it, outside the grid 0; one
/// component. Coordinates may be rounded to 1 % of a cell.
/// Throws InputError("Zone/File", ...) naming file, line and column for: a file that cannot be read or has no rows, a column
/// that is missing, unknown, there twice or one too many for the dimension, a word that is not a finite number, a rho
/// outside [0, 1], centres that are not on a regular grid, a cell that comes twice or is missing.
geometry::Field density_field(const std::string &file_name, geometry::Index dim);

/// Where the cells of such a file begin and end along each axis (m), ascending. Throws as density_field().
std::vector<std::vector<double>> faces_of_density(const std::string &file_name, geometry::Index dim);

/// The function that is positive exactly inside the shape whose density is given as `if(A < B, 1, 0)`: "(B)-(A)". Also for
/// <=, >, >=, and with 0 and 1 exchanged. Empty for all other text: where A or B holds a comparison, a logical operator or a
/// function that jumps or has kinks (if, abs, min, rint, ...), the level might
/// not be smooth across the boundary of the shape.
/// The level may be infinite in points where the density is not, as for 1/x < 2.
std::optional<std::string> level_of_density(const std::string &expression);
} // namespace moreau::app

#endif
