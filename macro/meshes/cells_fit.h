// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MACRO_MESHES_CELLS_FIT_H
#define MOREAU_MACRO_MESHES_CELLS_FIT_H

#include <filesystem>

namespace dealii
{
template <int, int>
class Triangulation;
}

namespace moreau::macro
{
/// Of the shortest side of a cell: what is closer is the same place, which files of 6 to 8 digits do not hold better.
constexpr double same_place = 1e-5;

/// Cells of a mesh from a file, which are convex, neither overlap, nor touch where they share no nodes: boundary faces that
/// coincide or overlap, nodes in one place, nodes inside a boundary face of another cell. Forces would not pass there, and
/// each body would go through the other. Costs n log n where the boxes around cells overlap few others.
/// Throws InputError("the file of the mesh", ...) with the place.
template <int dim>
void require_cells_that_fit(const std::filesystem::path &file, const dealii::Triangulation<dim, dim> &triangulation);
} // namespace moreau::macro

#endif
