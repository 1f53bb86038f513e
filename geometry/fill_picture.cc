// SPDX-License-Identifier: GPL-3.0-or-later
#include "geometry/fill_picture.h"

#include "geometry/box_grid.h"

#include <utility>

namespace moreau::geometry
{
std::vector<double> three_components(const Columns &columns)
{
  std::vector<double> result(3 * columns.cols(), 0.);
  Eigen::Map<Eigen::Matrix3Xd>(result.data(), 3, columns.cols()).topRows(columns.rows()) = columns;
  return result;
}

std::vector<double> three_components(const Vector &v, const Index dim)
{
  return three_components(Eigen::Map<const Eigen::MatrixXd>(v.data(), dim, v.size() / dim));
}

Array array_of(std::string name, std::string unit, const Columns &columns)
{
  Array array = {std::move(name), std::move(unit), static_cast<int>(columns.rows()), {}};
  array.values.resize(columns.size());
  Eigen::Map<Eigen::MatrixXd>(array.values.data(), columns.rows(), columns.cols()) = columns;
  return array;
}

Array vectors_of(std::string name, std::string unit, const Columns &columns)
{
  return {std::move(name), std::move(unit), 3, three_components(columns)};
}

Mesh continuum(const CellType type)
{
  Mesh mesh;
  mesh.name      = "continuum";
  mesh.cell_type = type;
  return mesh;
}

CellType cell_of_box(const int dim)
{
  return dim == 1 ? CellType::line : dim == 2 ? CellType::quadrilateral : CellType::hexahedron;
}

Mesh cell_mesh(const BoxGrid &grid)
{
  Mesh    mesh     = continuum(cell_of_box(grid.dim));
  BoxGrid vertices = grid; // as if vertices were cells
  for (int axis = 0; axis < grid.dim; ++axis)
    vertices.n[axis] += 1;
  vertices.last += 1;
  mesh.points.reserve(3 * vertices.n_own_cells());
  for_own_cells(vertices, [&](const CellIndex &vertex) {
    for (int axis = 0; axis < 3; ++axis)
      mesh.points.push_back(axis < grid.dim ? grid.lower(axis) + static_cast<double>(vertex[axis]) * grid.h(axis) : 0.);
  });

  const auto number = [&](CellIndex vertex) {
    vertex[grid.last_axis()] -= grid.first;
    return static_cast<long long>(vertex[0] + vertices.own(0) * (vertex[1] + vertices.own(1) * vertex[2]));
  };
  constexpr int around[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
  const int     n_corners    = 1 << grid.dim;
  mesh.connectivity.reserve(grid.n_own_cells() * n_corners);
  for_own_cells(grid, [&](const CellIndex &cell) {
    for (int k = 0; k < n_corners; ++k)
      mesh.connectivity.push_back(grid.dim == 1
                                      ? number(moved(cell, 0, k))
                                      : number({cell[0] + around[k % 4][0], cell[1] + around[k % 4][1], cell[2] + k / 4}));
  });
  return mesh;
}
} // namespace moreau::geometry
