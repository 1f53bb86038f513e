// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_GEOMETRY_PICTURE_H
#define MOREAU_GEOMETRY_PICTURE_H

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace moreau::insitu
{
/// One named quantity on all points or all cells of a mesh, entry-major:
/// value(k, component) = values[k*n_components + component].
struct Array
{
  std::string         name; ///< the papers' letter: "u", "U", "p"
  std::string         unit; ///< "m/s"; written as meta data, not into the name
  int                 n_components = 1;
  std::vector<double> values;
};

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

/// Points of a cell in VTK's order.
enum class CellType
{
  vertex,        ///< one point
  line,          ///< two points
  triangle,      ///< three
  quadrilateral, ///< four, around the cell
  tetrahedron,   ///< four, the last one where the normal of the others points
  hexahedron,    ///< eight: four around the lower face, then the four above them
  polygon,       ///< three or more, around the cell; convex
  polyhedron     ///< all corners in any order; Mesh::faces says how they are connected
};

/// 0 where the number differs from cell to cell.
inline std::size_t points_per_cell(const CellType type)
{
  switch (type)
    {
      case CellType::vertex:
        return 1;
      case CellType::line:
        return 2;
      case CellType::triangle:
        return 3;
      case CellType::quadrilateral:
      case CellType::tetrahedron:
        return 4;
      case CellType::hexahedron:
        return 8;
      case CellType::polygon:
      case CellType::polyhedron:
        return 0;
    }
  return 0; // no other value exists
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

/// A set of points with cells of one type. Plain arrays, no dependency: what solvers compute is copied here once.
struct Mesh
{
  std::string            name;   ///< "spheres", "contacts", "continuum": the file name and the Catalyst channel
  std::vector<double>    points; ///< 3 per point (m); missing coordinates are 0
  CellType               cell_type = CellType::vertex;
  std::vector<long long> connectivity; ///< point indices, cell after cell
  std::vector<long long> offsets;      ///< where each polygon or polyhedron ends in connectivity; empty for other cells
  std::vector<long long> faces;        ///< per polyhedron: how many, then of each its number of points and these, outward
  std::vector<long long> face_offsets; ///< where each polyhedron ends in faces
  std::vector<Array>     point_data, cell_data;

  /// Another mesh of the same type of cells whose points and cells these are,
  /// where many moments share them; the own ones are empty then.
  std::shared_ptr<const Mesh> shape;

  const Mesh &geometry() const { return shape != nullptr ? *shape : *this; }
  std::size_t n_points() const { return geometry().points.size() / 3; }
  std::size_t n_cells() const
  {
    const std::size_t n = points_per_cell(cell_type);
    return n == 0 ? geometry().offsets.size() : geometry().connectivity.size() / n;
  }
};

/// One after the other; an initializer list would copy their arrays.
template <typename... Meshes>
std::vector<Mesh> list_of(Meshes &&...meshes)
{
  std::vector<Mesh> list;
  (list.push_back(std::forward<Meshes>(meshes)), ...);
  return list;
}

/// What one moment of a run looks like.
struct Snapshot
{
  double            time = 0.; ///< s
  unsigned int      step = 0;  ///< in the names of files: how many snapshots there were before
  std::vector<Mesh> meshes;
  std::int64_t      time_step = 0; ///< of the run
};
} // namespace moreau::insitu

#endif
