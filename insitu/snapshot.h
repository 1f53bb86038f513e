// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_INSITU_SNAPSHOT_H
#define MOREAU_INSITU_SNAPSHOT_H

#include <cstddef>
#include <string>
#include <vector>

namespace moreau::insitu
{
/// One named quantity on all points or all cells of a mesh, entry-major: value(k, component) = values[k*n_components + component].
struct Array
{
  std::string         name; ///< the papers' letter: "u", "U", "p"
  std::string         unit; ///< "m/s"; written as meta data, not into the name
  int                 n_components = 1;
  std::vector<double> values;
};

enum class CellType
{
  vertex, ///< one point
  line    ///< two points
};

/// A set of points with cells of one type. Plain arrays, no dependency: what solvers compute is copied here once.
struct Mesh
{
  std::string            name;   ///< "spheres", "contacts": the file name and the Catalyst channel
  std::vector<double>    points; ///< 3 per point (m); missing coordinates are 0
  CellType               cell_type = CellType::vertex;
  std::vector<long long> connectivity; ///< point indices, 1 or 2 per cell
  std::vector<Array>     point_data, cell_data;

  std::size_t n_points() const { return points.size() / 3; }
  std::size_t n_cells() const { return connectivity.size() / (cell_type == CellType::line ? 2 : 1); }
};

/// What one moment of a run looks like.
struct Snapshot
{
  double            time = 0.; ///< s
  unsigned int      step = 0;
  std::vector<Mesh> meshes;
};
} // namespace moreau::insitu

#endif
