// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_GEOMETRY_FIELD_MESH_H
#define MOREAU_GEOMETRY_FIELD_MESH_H

#include "geometry/field.h"

#include <string>
#include <vector>

namespace moreau::geometry
{
enum class CellShape
{
  vertex,        ///< 1 point
  segment,       ///< 2 points
  triangle,      ///< 3
  quadrilateral, ///< 4, around the cell
  tetrahedron,   ///< 4
  hexahedron     ///< 8, the four of the lower face around, then those above them (VTK's order)
};

/// Points per cell.
int n_vertices(CellShape shape);

/// A named quantity: n_components x (n_points or n_cells).
struct NamedValues
{
  std::string     name; ///< the papers' letter: "u", "U", "p"
  std::string     unit;
  Eigen::MatrixXd values;
};

/// What this process owns of a mesh with everything a picture needs, as plain arrays.
struct FieldMesh
{
  Index                    dim   = 0;
  CellShape                shape = CellShape::quadrilateral;
  Eigen::MatrixXd          points; ///< dim x n_points (m)
  std::vector<long long>   cells;  ///< n_vertices(shape) point indices per cell
  std::vector<NamedValues> point_data, cell_data;

  Index n_cells() const { return static_cast<Index>(cells.size()) / n_vertices(shape); }
};
} // namespace moreau::geometry

#endif
