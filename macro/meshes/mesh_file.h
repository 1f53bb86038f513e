// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MACRO_MESHES_MESH_FILE_H
#define MOREAU_MACRO_MESHES_MESH_FILE_H

#include "macro/vocabulary.h"

#include <filesystem>
#include <utility>

namespace dealii
{
template <int, int>
class Triangulation;
}

/// Gmsh files (ASCII, 2.2 or 4.1): quadrilaterals in the plane, affine hexahedra (parallelepipeds) in space.
/// Everything here throws InputError("the file of the mesh", ...) where the file cannot be read or holds something else.
namespace moreau::macro
{
/// Reads the cells into an empty triangulation, every process all of them. Boundary ids of the file are not used.
/// Hexahedra must be affine, because lowest-order Raviart-Thomas functions lose their order on others; cells must fit
/// together (cells_fit.h).
template <int dim>
void read_mesh(const std::filesystem::path &file, dealii::Triangulation<dim, dim> &triangulation);

/// Whether opposite edges of a quadrilateral or hexahedron are equal, up to this part of its diameter.
template <int dim, class Cell>
bool is_affine(const Cell &cell, const double tolerance)
{
  for (unsigned int axis = 0; axis < dim; ++axis)
    for (unsigned int k = 0; k < 1u << dim; ++k)
      if (!(k & 1u << axis))
        {
          const auto edge  = cell->vertex(k | 1u << axis) - cell->vertex(k),
                     first = cell->vertex(1u << axis) - cell->vertex(0);
          if ((edge - first).norm() > tolerance * cell->diameter())
            return false;
        }
  return true;
}

/// Lower and upper corner of the smallest box around the mesh (m); dim is 2 or 3.
std::pair<Vector, Vector> bounding_box(const std::filesystem::path &file, int dim);
} // namespace moreau::macro

#endif
