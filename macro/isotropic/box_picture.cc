// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/isotropic/box_picture.h"

#include "geometry/fill_picture.h"

#include <string>

namespace moreau::macro
{
Eigen::MatrixXd own_centres(const BoxGrid &grid)
{
  Eigen::MatrixXd x(grid.dim, grid.n_own_cells());
  Index           column = 0;
  for_own_cells(grid, [&](const CellIndex &cell) { x.col(column++) = grid.centre(cell); });
  return x;
}

Mesh box_picture(const BoxGrid &grid, const Field &U, const Vector &density, const Vector &error_indicator,
                 const ShowCell &show)
{
  const Index     n = grid.n_own_cells();
  Eigen::MatrixXd U_centre(grid.dim, n), zero = Eigen::MatrixXd::Zero(1, n);
  U(own_centres(grid), U_centre);
  Eigen::MatrixXd u = U_centre, p = zero, divergence = zero, error = zero;
  Index           k = 0;
  for_own_cells(grid, [&](const CellIndex &cell) {
    show(cell, u.col(k), p(0, k), divergence(0, k));
    ++k;
  });
  if (error_indicator.size() == n)
    error = error_indicator.transpose();

  Mesh mesh = cell_mesh(grid);
  mesh.cell_data =
      list_of(vectors_of("U", "m/s", U_centre), vectors_of("u", "m/s", u), array_of("p", "m^2/s", p),
              array_of("divergence", "1/s", divergence), array_of("active", "", (p.array() > 0.).cast<double>().matrix()),
              array_of("density", "", density.transpose()),
              array_of("error_indicator", "m^" + std::to_string(2 + grid.dim) + "/s^2", error));
  return mesh;
}
} // namespace moreau::macro
