// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/box_fields.h"

#include <string>

namespace moreau::macro
{
FieldMesh cell_mesh(const BoxGrid &grid)
{
  constexpr CellShape shapes[] = {CellShape::segment, CellShape::quadrilateral, CellShape::hexahedron};
  FieldMesh           mesh;
  mesh.dim   = grid.dim;
  mesh.shape = shapes[grid.dim - 1];

  BoxGrid vertices = grid; // as if vertices were cells
  for (int axis = 0; axis < grid.dim; ++axis)
    vertices.n[axis] += 1;
  vertices.last += 1;
  mesh.points.resize(grid.dim, vertices.n_own_cells());
  Index column = 0;
  for_own_cells(vertices, [&](const CellIndex &vertex) {
    for (int axis = 0; axis < grid.dim; ++axis)
      mesh.points(axis, column) = grid.lower(axis) + static_cast<double>(vertex[axis]) * grid.h(axis);
    ++column;
  });

  const auto number = [&](CellIndex vertex) {
    vertex[grid.last_axis()] -= grid.first;
    return static_cast<long long>(vertex[0] + vertices.own(0) * (vertex[1] + vertices.own(1) * vertex[2]));
  };
  constexpr int around[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
  mesh.cells.reserve(grid.n_own_cells() * n_vertices(mesh.shape));
  for_own_cells(grid, [&](const CellIndex &cell) {
    for (int k = 0; k < n_vertices(mesh.shape); ++k)
      mesh.cells.push_back(grid.dim == 1
                               ? number(moved(cell, 0, k))
                               : number({cell[0] + around[k % 4][0], cell[1] + around[k % 4][1], cell[2] + k / 4}));
  });
  return mesh;
}

Eigen::MatrixXd own_centres(const BoxGrid &grid)
{
  Eigen::MatrixXd x(grid.dim, grid.n_own_cells());
  Index           column = 0;
  for_own_cells(grid, [&](const CellIndex &cell) { x.col(column++) = grid.centre(cell); });
  return x;
}

FieldMesh field_mesh(const BoxGrid &grid, const BoxFields &fields)
{
  FieldMesh mesh = cell_mesh(grid);
  mesh.cell_data = {{"U", "m/s", fields.U},
                    {"u", "m/s", fields.u},
                    {"p", "m^2/s", fields.p.transpose()},
                    {"divergence", "1/s", fields.divergence.transpose()},
                    {"active", "", (fields.p.array() > 0.).cast<double>().matrix().transpose()},
                    {"density", "", fields.density.transpose()},
                    {"error_indicator", "m^" + std::to_string(2 + grid.dim) + "/s^2", fields.error_indicator.transpose()}};
  return mesh;
}

double impact_factor(const convex::ProjectionProblem &problem, const convex::Vector &u, const convex::Vector &u_plus)
{
  const convex::VelocitySpace &V      = *problem.V;
  const convex::Vector         kick   = problem.U - u;
  const double                 square = V.dot(kick, kick);
  const double                 factor = square > 0. ? V.dot(problem.U - u_plus, kick) / square : 1.;
  const double                 size   = V.max_over_processes(convex::max_abs(problem.U) + convex::max_abs(u));
  const double                 rest   = V.max_over_processes(convex::max_abs(problem.U - u_plus - factor * kick));
  return rest <= 1e-12 * size ? factor : 0.;
}
} // namespace moreau::macro
