// SPDX-License-Identifier: GPL-3.0-or-later
#include "geometry/field_mesh.h"

namespace moreau::geometry
{
int n_vertices(const CellShape shape)
{
  switch (shape)
    {
      case CellShape::vertex:
        return 1;
      case CellShape::segment:
        return 2;
      case CellShape::triangle:
        return 3;
      case CellShape::quadrilateral:
      case CellShape::tetrahedron:
        return 4;
      case CellShape::hexahedron:
        return 8;
    }
  return 0;
}
} // namespace moreau::geometry
