// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/flow_sides.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace moreau::macro
{
void Inflow::evaluate(const double t)
{
  if (!setting.inflow)
    return;
  const int dim = grid.dim();
  for (int side = 0; side < 2 * dim; ++side)
    {
      if (grid.side(side) != Boundary::inflow)
        continue;
      std::vector<CellIndex> cells;
      grid.for_side(side, [&](Index, Index, const CellIndex &cell) { cells.push_back(cell); });
      Eigen::MatrixXd x(dim, cells.size()), values(dim + 1, cells.size());
      for (std::size_t k = 0; k < cells.size(); ++k)
        {
          x.col(k) = grid.box().centre(cells[k]);
          x(side / 2, k) += (side % 2 ? .5 : -.5) * grid.box().h(side / 2);
        }
      if (!cells.empty())
        setting.inflow(t, x, values);
      sides[side].rho.resize(cells.size());
      for (int b = 0; b < dim; ++b)
        sides[side].u[b].resize(cells.size());
      for (std::size_t k = 0; k < cells.size(); ++k)
        {
          sides[side].rho[k] = values(0, k);
          for (int b = 0; b < dim; ++b)
            sides[side].u[b][k] = values(1 + b, k);
        }
    }
}

void Inflow::set_tangential(FaceCells &U) const
{
  for (int side = 0; side < 2 * grid.dim(); ++side)
    if (grid.side(side) == Boundary::inflow && setting.inflow)
      {
        const int   b        = side / 2;
        const Index outwards = side % 2 ? grid.stride(b) : -grid.stride(b);
        std::size_t k        = 0;
        grid.for_side(side, [&](Index, const Index cell, const CellIndex &) {
          for (int axis = 0; axis < grid.dim(); ++axis)
            if (axis != b)
              U[axis].values(cell + outwards) = sides[side].u[axis][k];
          ++k;
        });
      }
}

double Inflow::longest_step(const double cfl) const
{
  double least = std::numeric_limits<double>::infinity();
  for (int side = 0; side < 2 * grid.dim(); ++side)
    for (std::size_t k = 0; k < sides[side].rho.size(); ++k)
      {
        const double speed = std::abs(sides[side].u[side / 2][k]) / grid.box().h(side / 2);
        if (speed * sides[side].rho[k] > 0.)
          least = std::min(least, cfl / speed);
      }
  return least;
}

Vector Inflow::prescribe(const CellArray &rho, const FaceCells &flux, const FaceCells &rho_D, FaceCells &momentum) const
{
  Vector given = Vector::Zero(grid.dim());
  for (int side = 0; side < 2 * grid.dim(); ++side)
    {
      if (grid.side(side) != Boundary::inflow)
        continue;
      const int   axis    = side / 2;
      double      of_side = 0.;
      std::size_t k       = 0;
      grid.for_side(side, [&](const Index face, const Index cell, const CellIndex &) {
        const double g = flux[axis].values(face), enters = side % 2 ? -g : g;
        const double carried = enters > 0. ? sides[side].rho[k] : rho.values(cell), wanted = sides[side].u[axis][k];
        ++k;
        if (!((side % 2 ? -wanted : wanted) > 0.) || !(carried > empty_density))
          return;
        const double m = rho_D[axis].values(face) * g / carried;
        of_side += m - momentum[axis].values(face);
        momentum[axis].values(face) = m;
      });
      given(axis) += grid.sum(of_side) * grid.box().cell_volume();
    }
  return given;
}

Vector reaction_of_walls(const FlowGrid &grid, const CellArray &q)
{
  Vector given = Vector::Zero(grid.dim());
  for (int axis = 0; axis < grid.dim(); ++axis)
    {
      const Index   s        = grid.stride(axis);
      const Vector &capacity = grid.capacity(axis);
      double        of_axis  = 0.;
      grid.for_cells([&](const Index c) { of_axis += q.values(c) * (capacity(c + s) - capacity(c)); });
      given(axis) = grid.sum(of_axis) * grid.box().face_area(axis);
    }
  return given;
}

Vector stop_at_closed_faces(const FlowGrid &grid, FaceCells &momentum)
{
  Vector given = Vector::Zero(grid.dim());
  for (int axis = 0; axis < grid.dim(); ++axis)
    {
      double of_axis = 0.;
      grid.for_faces(axis, [&](const Index c) {
        if (grid.open(axis)(c) == 0.)
          {
            of_axis -= momentum[axis].values(c);
            momentum[axis].values(c) = 0.;
          }
      });
      given(axis) = grid.sum(of_axis) * grid.box().cell_volume();
    }
  return given;
}

double entered_mass(const FlowGrid &grid, const FaceCells &flux, const double h)
{
  double entered = 0.;
  for (int side = 0; side < 2 * grid.dim(); ++side)
    if (grid.side(side) != Boundary::periodic)
      grid.for_side(side, [&](const Index face, Index, const CellIndex &) {
        entered += (side % 2 ? -1. : 1.) * flux[side / 2].values(face) * grid.box().face_area(side / 2);
      });
  return grid.sum(entered) * h;
}
} // namespace moreau::macro
