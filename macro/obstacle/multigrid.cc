// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/obstacle/multigrid.h"

#include <algorithm>
#include <cmath>

namespace moreau::macro
{
namespace
{
LevelBox own_level_box(const BoxGrid &grid, const Sides &behind, const std::array<bool, 3> &periodic)
{
  std::array<Index, 3> n = grid.n;
  for (int axis = 0; axis < grid.dim; ++axis)
    n[axis] += behind[2 * axis] + behind[2 * axis + 1];
  const int   last   = grid.last_axis();
  const Index before = behind[2 * last];
  return LevelBox(grid.dim, n, grid.first == 0 ? 0 : grid.first + before,
                  grid.last == grid.n[last] ? n[last] : grid.last + before, grid.processes, periodic);
}

/// The same box with borders between processes where the plan wants them.
LevelBox aligned(const LevelBox &own, const CoarseningPlan &plan)
{
  const int last = own.dim - 1;
  if (plan.n_distributed == 0)
    return LevelBox(own.dim, own.n, 0, own.n[last], Processes::alone(), own.periodic);
  const auto border = [&](const Index layer) {
    return layer == 0 || layer == own.n[last] ? layer : (layer + plan.alignment / 2) / plan.alignment * plan.alignment;
  };
  return LevelBox(own.dim, own.n, border(own.first), border(own.last), own.processes, own.periodic);
}

LevelChain levels_of(const LevelBox &own, const BoxGrid &grid, Sides keeps)
{
  for (int axis = 0; axis < own.dim; ++axis)
    if (own.periodic[axis])
      {
        keeps[2 * axis]     = false;
        keeps[2 * axis + 1] = true;
      }
  const CoarseningPlan plan(own.dim, own.n, grid.h, keeps, grid.processes.size());
  return LevelChain(aligned(own, plan), plan, keeps);
}

/// An array of `from` in the layout of `to`. from_slabs: which layers are taken from which process.
template <class T>
std::vector<T> redistributed(const Processes &processes, const std::vector<T> &array, const LevelBox &from,
                             const Slabs &from_slabs, const LevelBox &to, const Slabs &to_slabs)
{
  const std::size_t rank = processes.rank(), n = processes.size();
  std::vector<int>  sent(n), sent_from(n), received(n), received_at(n);
  const auto        common = [](const Slabs &own, const std::size_t me, const Slabs &others, const std::size_t other,
                         const Index first, int &count, int &at) {
    const Index begin = std::max(own.begin[me], others.begin[other]), end = std::min(own.end[me], others.end[other]);
    count = static_cast<int>(std::max<Index>(end - begin, 0));
    at    = count == 0 ? 0 : static_cast<int>(begin - first + LevelBox::pad);
  };
  for (std::size_t other = 0; other < n; ++other)
    {
      common(from_slabs, rank, to_slabs, other, from.first, sent[other], sent_from[other]);
      common(to_slabs, rank, from_slabs, other, to.first, received[other], received_at[other]);
    }
  std::vector<T> result(to.size, T(0));
  MPI_Datatype   layer;
  MPI_Type_contiguous(static_cast<int>(from.layer() * static_cast<Index>(sizeof(T))), MPI_BYTE, &layer);
  MPI_Type_commit(&layer);
  MPI_Alltoallv(array.data(), sent.data(), sent_from.data(), layer, result.data(), received.data(), received_at.data(),
                layer, processes.communicator());
  MPI_Type_free(&layer);
  return result;
}
} // namespace

Slabs::Slabs(const LevelBox &box, const Processes &processes)
    : begin(processes.size(), box.first)
    , end(processes.size(), box.last + (box.last == box.n[box.dim - 1] ? LevelBox::pad : Index(0)))
{
  if (processes.size() == 1)
    return;
  for (std::vector<Index> *const borders : {&begin, &end})
    {
      const Index own = (*borders)[processes.rank()];
      MPI_Allgather(&own, sizeof(Index), MPI_BYTE, borders->data(), sizeof(Index), MPI_BYTE, processes.communicator());
    }
}

BoxMultigrid::BoxMultigrid(const BoxGrid &grid, const Sides &behind, const Sides &keeps, const std::array<bool, 3> &periodic)
    : grid(grid)
    , own_box(own_level_box(grid, behind, periodic))
    , levels(levels_of(own_box, grid, keeps))
    , own_slabs(own_box, grid.processes)
    , level_slabs(levels.boxes[0], grid.processes)
{
  for (int axis = 0; axis < grid.dim; ++axis)
    shift[axis] = behind[2 * axis];
}

template <class T>
std::vector<T> BoxMultigrid::to_level(std::vector<T> array) const
{
  const LevelBox &level = levels.boxes[0];
  if (grid.processes.size() > 1)
    array = redistributed(grid.processes, array, own_box, own_slabs, level, level_slabs);
  level.update_ghosts(array);
  return array;
}

std::vector<double> BoxMultigrid::to_own(std::vector<double> array) const
{
  if (grid.processes.size() == 1)
    return array;
  const LevelBox &level = levels.boxes[0];
  // where every process has all layers each takes its own
  return redistributed(grid.processes, array, level, level.distributed() ? level_slabs : own_slabs, own_box, own_slabs);
}

template <class F>
LinkOperator BoxMultigrid::links_of(const std::array<double, 3> &plain_w, const FaceArrays &numbers,
                                    const std::vector<char> &is_unknown, F &&of) const
{
  LinkOperator A(own_box);
  for (int axis = 0; axis < grid.dim; ++axis)
    {
      // faces of own cells, a row at a time
      CellIndex begin = {0, 0, 0}, end = grid.n;
      begin[grid.last_axis()] = grid.first;
      end[grid.last_axis()]   = grid.last;
      end[axis] += 1;
      for (Index k = begin[2]; k < end[2]; ++k)
        for (Index j = begin[1]; j < end[1]; ++j)
          {
            const double *const number = numbers.values[axis].data() + numbers.position(axis, {0, j, k});
            double *const       w      = A.w[axis].data() + position({0, j, k});
            for (Index i = 0; i < end[0]; ++i)
              w[i] = of(axis, number[i]);
          }
      A.w[axis] = to_level(std::move(A.w[axis]));
    }
  LinkOperator result(levels.boxes[0]);
  result.w       = std::move(A.w);
  result.plain_w = plain_w;
  result.finish(levels.boxes[0], to_level(is_unknown));
  return result;
}

LinkOperator BoxMultigrid::links(const FaceArrays &theta, const std::vector<char> &is_unknown) const
{
  const double          volume = grid.cell_volume(), L = std::pow(volume, 1. / grid.dim);
  std::array<double, 3> weight = {0., 0., 0.};
  for (int axis = 0; axis < grid.dim; ++axis)
    {
      const double area = grid.face_area(axis) / std::pow(L, grid.dim - 1);
      weight[axis]      = area * area / volume;
    }
  return links_of(weight, theta, is_unknown,
                  [&](const int axis, const double length) { return length > 0. ? weight[axis] / length : 0.; });
}

LinkOperator BoxMultigrid::weighted_links(const std::array<double, 3> &unit, const FaceArrays &weights,
                                          const std::vector<char> &is_unknown) const
{
  return links_of(unit, weights, is_unknown, [&](const int axis, const double weight) { return unit[axis] * weight; });
}

bool is_open(const BoxZone &zone, const int axis)
{
  return !zone.periodic[axis] && !(zone.walls[2 * axis] && zone.walls[2 * axis + 1]);
}

bool is_closed(const BoxZone &zone)
{
  for (int axis = 0; axis < zone.grid.dim; ++axis)
    if (is_open(zone, axis))
      return false;
  return zone.grid.processes.sum(zone.n_own_cells()) == zone.grid.n_cells();
}

template std::vector<double> BoxMultigrid::to_level(std::vector<double>) const;
template std::vector<char>   BoxMultigrid::to_level(std::vector<char>) const;
} // namespace moreau::macro
