// SPDX-License-Identifier: GPL-3.0-or-later
#include "geometry/box_grid.h"

#include "convex/input_error.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace moreau::geometry
{
namespace
{
const std::string subject = "the cells per unit length";
}

Vector BoxGrid::centre(const CellIndex &cell) const
{
  Vector x(dim);
  for (int axis = 0; axis < dim; ++axis)
    x(axis) = lower(axis) + (static_cast<double>(cell[axis]) + .5) * h(axis);
  return x;
}

BoxGrid box_grid(const Vector &lower, const Vector &upper, const double cells_per_unit_length, const Processes &processes)
{
  BoxGrid grid;
  grid.dim       = static_cast<int>(lower.size());
  grid.lower     = lower;
  grid.h         = upper - lower;
  double n_cells = 1.;
  for (int axis = 0; axis < grid.dim; ++axis)
    {
      // a whole number of cells that differs from what is asked for by round-off only is meant as it stands
      const double wanted = std::max(1., std::ceil(grid.h(axis) * cells_per_unit_length - 1e-6));
      n_cells *= wanted;
      if (!(n_cells < std::numeric_limits<int>::max()))
        throw InputError(subject, "The box would have more than 2e9 cells; give a smaller number.");
      grid.n[axis] = static_cast<Index>(wanted);
      grid.h(axis) /= wanted;
    }
  share_layers(grid, processes);
  return grid;
}

void share_layers(BoxGrid &grid, const Processes &processes)
{
  const Index layers = grid.n[grid.last_axis()];
  if (layers < processes.size())
    throw InputError(subject, "The grid has " + std::to_string(layers) + " layers of cells for " +
                                  std::to_string(processes.size()) + " processes; start fewer of them.");
  grid.processes = processes;
  grid.first     = layers * processes.rank() / processes.size();
  grid.last      = layers * (processes.rank() + 1) / processes.size();
}

CellArray::CellArray(const BoxGrid &grid, const double value, const double outside) : grid(grid)
{
  for (int axis = 0; axis < 3; ++axis)
    {
      const bool exists = axis < grid.dim;
      extent[axis]      = exists ? grid.own(axis) + 2 : 1;
      shift[axis]       = exists ? (axis == grid.last_axis() ? 1 - grid.first : 1) : 0;
    }
  values = Vector::Constant(extent[0] * extent[1] * extent[2], outside);
  for_own_cells(grid, [&](const CellIndex &cell) { (*this)(cell) = value; });
}

void CellArray::update_ghosts()
{
  if (grid.processes.size() == 1)
    return;
  const Index layer = stride(grid.last_axis()), n = values.size();
  Vector      below = values.head(layer), above = values.tail(layer); // stay what they are at the ends of the box
  grid.processes.exchange(values.segment(layer, layer), values.segment(n - 2 * layer, layer), below, above);
  values.head(layer) = below;
  values.tail(layer) = above;
}

void update_ghosts(CellArray &array, const std::array<bool, 3> &periodic)
{
  const BoxGrid &grid = array.box_grid();
  for (int axis = 0; axis < grid.dim; ++axis)
    {
      const bool shared = axis == grid.last_axis() && grid.processes.size() > 1;
      if (!periodic[axis] || shared)
        continue;
      const Index n = grid.n[axis], piece = array.stride(axis);
      for (Index begin = 0; begin < array.values.size(); begin += (n + 2) * piece)
        {
          array.values.segment(begin, piece)                   = array.values.segment(begin + n * piece, piece);
          array.values.segment(begin + (n + 1) * piece, piece) = array.values.segment(begin + piece, piece);
        }
    }
  array.update_ghosts();
  const int rank = grid.processes.rank(), last = grid.processes.size() - 1;
  if (last == 0 || !periodic[grid.last_axis()] || (rank > 0 && rank < last))
    return;
  const Index   layer = array.stride(grid.last_axis()), end = array.values.size();
  const Index   own = rank == 0 ? layer : end - 2 * layer, ghosts = rank == 0 ? 0 : end - layer;
  const int     other = last - rank, tag = 0;
  double *const data = array.values.data();
  MPI_Sendrecv(data + own, static_cast<int>(layer), MPI_DOUBLE, other, tag, data + ghosts, static_cast<int>(layer),
               MPI_DOUBLE, other, tag, grid.processes.communicator(), MPI_STATUS_IGNORE);
}

FaceArrays::FaceArrays(const BoxGrid &grid, const double value) : grid(grid)
{
  for (int axis = 0; axis < grid.dim; ++axis)
    {
      Index n = 1;
      for (int other = 0; other < grid.dim; ++other)
        n *= grid.own(other) + (other == axis);
      values[axis] = Vector::Constant(n, value);
    }
}

std::vector<bool> axes_with_walls(const Sides &walls, const int dim)
{
  std::vector<bool> result(dim);
  for (int axis = 0; axis < dim; ++axis)
    result[axis] = walls[2 * axis] || walls[2 * axis + 1];
  return result;
}

BoxZone::BoxZone(const BoxGrid &grid, const Sides &walls, const std::array<bool, 3> &periodic)
    : grid(grid), walls(walls), periodic(periodic), layout(grid)
{
  saturated.assign(layout.values.size(), 0);
}

void BoxZone::update_ghosts()
{
  for (std::size_t k = 0; k < saturated.size(); ++k)
    layout.values(k) = saturated[k];
  geometry::update_ghosts(layout, periodic);
  for (std::size_t k = 0; k < saturated.size(); ++k)
    saturated[k] = layout.values(k) != 0.;
}

Index BoxZone::n_own_cells() const
{
  Index n = 0;
  for_own_cells(grid, [&](const CellIndex &cell) { n += (*this)(cell); });
  return n;
}
} // namespace moreau::geometry
