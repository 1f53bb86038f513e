// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_INSITU_VOCABULARY_H
#define MOREAU_INSITU_VOCABULARY_H

#include "geometry/picture.h"

#include <initializer_list>
#include <vector>

namespace moreau::insitu
{
using namespace geometry; // meshes, arrays, snapshots: the words of pictures; below, what VTK and ParaView make of them

/// The arrays that ParaView takes unless it is told otherwise; null where there is none.
struct ActiveArrays
{
  const Array *scalars = nullptr; ///< for colours, and for the size of glyphs
  const Array *vectors = nullptr; ///< for the direction of glyphs, and for streamlines
};

/// Which arrays of the points or of the cells of a mesh these are is decided here, by name, for files and for Catalyst. The
/// first of these names wins: spheres become spheres of true size (ParaView's have diameter 1), flows show their density,
/// impacts their pressures. Of velocities, those after the impact; the spheres' in front of the macroscopic ones. No array
/// plays both parts: ParaView 5.11 sees one only.
inline ActiveArrays active_arrays(const std::vector<Array> &arrays)
{
  const auto first_of = [&arrays](const std::initializer_list<const char *> names) -> const Array * {
    for (const char *const name : names)
      for (const Array &array : arrays)
        if (array.name == name)
          return &array;
    return nullptr;
  };
  return {first_of({"diameter", "rho", "p"}), first_of({"v", "u"})};
}

/// The number in VTK's vtkCellType.h.
inline unsigned char vtk_cell_type(const CellType type)
{
  switch (type)
    {
      case CellType::vertex:
        return 1;
      case CellType::line:
        return 3;
      case CellType::triangle:
        return 5;
      case CellType::polygon:
        return 7;
      case CellType::quadrilateral:
        return 9;
      case CellType::tetrahedron:
        return 10;
      case CellType::hexahedron:
        return 12;
      case CellType::polyhedron:
        return 42;
    }
  return 0; // no other value exists
}

/// VTK's vtkPolyData holds vertices, lines and polygons, its vtkUnstructuredGrid the other cells.
inline bool is_poly_data(const CellType type)
{
  return type == CellType::vertex || type == CellType::line || type == CellType::polygon;
}
} // namespace moreau::insitu

#endif
