// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_GEOMETRY_PICTURE_H
#define MOREAU_GEOMETRY_PICTURE_H

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace moreau::geometry
{
/// One named quantity on all points or all cells of a mesh, entry-major:
/// value(k, component) = values[k*n_components + component].
struct Array
{
  std::string         name; ///< the papers' letter: "u", "U", "p"
  std::string         unit; ///< "m/s"; written as meta data, not into the name
  int                 n_components = 1;
  std::vector<double> values;

  std::vector<std::string> component_names = {}; ///< none, or one per component, without characters that XML uses
};

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

/// A set of points with cells of one type. Plain arrays, no dependency: what solvers compute is copied here once
/// (geometry/fill_picture.h).
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

/// Meshes or arrays, one after the other; an initializer list would copy them.
template <typename First, typename... Others>
std::vector<First> list_of(First first, Others... others)
{
  std::vector<First> list;
  list.reserve(1 + sizeof...(others));
  list.push_back(std::move(first));
  (list.push_back(std::move(others)), ...);
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
} // namespace moreau::geometry

#endif
