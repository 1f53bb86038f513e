// SPDX-License-Identifier: GPL-3.0-or-later
#include "parallel/shared_spheres.h"

#include "parallel/hilbert_order.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace moreau::parallel
{
namespace
{
constexpr double infinity = std::numeric_limits<double>::infinity();

/// A box around centres, and the largest radius of their spheres.
struct Box
{
  Eigen::Array3d lower = Eigen::Array3d::Constant(infinity), upper = Eigen::Array3d::Constant(-infinity);
  double         R = 0.;

  static constexpr std::size_t n_numbers = 7;

  void add(const Eigen::Array3d &x, const double radius)
  {
    lower = lower.min(x);
    upper = upper.max(x);
    R     = std::max(R, radius);
  }

  /// Whether spheres in the two boxes may have a gap of at most `reach`.
  bool may_touch(const Box &other, const double reach) const
  {
    const Eigen::Array3d apart = (lower - other.upper).max(other.lower - upper).max(0.);
    return apart.matrix().norm() <= (R + other.R + reach) * (1. + 1e-9);
  }
};

Eigen::Array3d centre(const micro::Spheres &spheres, const Index k)
{
  Eigen::Array3d x            = Eigen::Array3d::Zero();
  x.head(spheres.dimension()) = spheres.r.col(k);
  return x;
}

/// The boxes of all blocks, on all processes.
std::vector<Box> boxes_of_blocks(const SharedSpheres &shared, const Processes &processes)
{
  List own;
  for (Index k = 0; k < shared.n_own;)
    {
      Box         box;
      const Index end = std::min(shared.n_own, k + shared.blocks.size);
      for (; k < end; ++k)
        box.add(centre(shared.spheres, k), shared.spheres.R(k));
      own.insert(own.end(), box.lower.begin(), box.lower.end());
      own.insert(own.end(), box.upper.begin(), box.upper.end());
      own.push_back(box.R);
    }
  const List       all = on_all(processes, own);
  std::vector<Box> boxes(all.size() / Box::n_numbers);
  for (std::size_t block = 0; block < boxes.size(); ++block)
    {
      const double *const numbers = all.data() + Box::n_numbers * block;
      boxes[block].lower          = Eigen::Map<const Eigen::Array3d>(numbers);
      boxes[block].upper          = Eigen::Map<const Eigen::Array3d>(numbers + 3);
      boxes[block].R              = numbers[6];
    }
  return boxes;
}

/// number, radius, mass, centre of each own sphere that may touch one of another process, for that process.
std::vector<List> near_others(const SharedSpheres &shared, const micro::ContactRange &range, const Processes &processes)
{
  const std::vector<Box> boxes  = boxes_of_blocks(shared, processes);
  const Blocks          &blocks = shared.blocks;
  const Index            dim = shared.spheres.dimension(), n_processes = processes.size(), rank = processes.rank();
  const Index            first = blocks.first_of_process(rank, n_processes);
  std::vector<List>      to(n_processes);
  for (Index k = 0; k < shared.n_own;)
    {
      const Index block = first + k / blocks.size, end = std::min(shared.n_own, k + blocks.size);
      // blocks of others, process by process
      std::vector<std::vector<Index>> candidates(n_processes);
      for (Index other = 0; other < n_processes; ++other)
        if (other != rank)
          for (Index b = blocks.first_of_process(other, n_processes); b < blocks.first_of_process(other + 1, n_processes);
               ++b)
            if (boxes[block].may_touch(boxes[b], range(std::max(boxes[block].R, boxes[b].R))))
              candidates[other].push_back(b);
      for (; k < end; ++k)
        for (Index other = 0; other < n_processes; ++other)
          {
            Box sphere;
            sphere.add(centre(shared.spheres, k), shared.spheres.R(k));
            const bool is_near = std::any_of(candidates[other].begin(), candidates[other].end(), [&](const Index b) {
              return sphere.may_touch(boxes[b], range(std::max(sphere.R, boxes[b].R)));
            });
            if (!is_near)
              continue;
            to[other].insert(to[other].end(), {static_cast<double>(shared.number[k]), sphere.R, shared.spheres.m(k)});
            to[other].insert(to[other].end(), sphere.lower.begin(), sphere.lower.begin() + dim);
          }
    }
  return to;
}

/// Own spheres with those of others before and behind them.
void insert(SharedSpheres &shared, const List &others)
{
  const Index   dim       = shared.spheres.dimension();
  const Index   n_numbers = 3 + dim, n_others = static_cast<Index>(others.size()) / n_numbers;
  const double *at = others.data();

  Index n_before = 0; // they come in the order of ranks, and so of numbers
  while (n_before < n_others && shared.n_own > 0 &&
         others[n_numbers * n_before] < static_cast<double>(shared.number.front()))
    ++n_before;
  const Index        n = shared.n_own + n_others;
  std::vector<Index> number(n);
  micro::Spheres     all{Eigen::MatrixXd(dim, n), Vector(n), Vector(n)};
  for (Index k = 0; k < n_others; ++k, at += n_numbers)
    {
      const Index place = k < n_before ? k : k + shared.n_own;
      number[place]     = static_cast<Index>(at[0]);
      all.R(place)      = at[1];
      all.m(place)      = at[2];
      all.r.col(place)  = Eigen::Map<const Vector>(at + 3, dim);
    }
  std::copy(shared.number.begin(), shared.number.end(), number.begin() + n_before);
  all.R.segment(n_before, shared.n_own)    = shared.spheres.R;
  all.m.segment(n_before, shared.n_own)    = shared.spheres.m;
  all.r.middleCols(n_before, shared.n_own) = shared.spheres.r;
  shared.spheres                           = std::move(all);
  shared.number                            = std::move(number);
  shared.first_own                         = n_before;
}
} // namespace

Index Blocks::owner(const Index sphere, const Index n_processes) const
{
  const Index block = sphere / size;
  Index       rank  = block * n_processes / count(); // or one more
  while (first_of_process(rank + 1, n_processes) <= block)
    ++rank;
  return rank;
}

SharedSpheres share(const micro::Spheres &spheres, const Vector &U, const micro::ContactRange &range, const Index block_size,
                    const Processes &processes)
{
  SharedSpheres result;
  Index         sizes[2] = {spheres.dimension(), spheres.size()};
  from_first(processes, sizes, sizeof sizes);
  const auto [dim, n]   = sizes;
  const Index n_numbers = 2 * dim + 2;
  result.blocks         = {n, block_size};

  std::vector<List> of_process;
  if (processes.rank() == 0)
    {
      result.order = hilbert_order(spheres.r);
      for (Index rank = 0; rank < processes.size(); ++rank)
        {
          const Index begin = result.blocks.first(result.blocks.first_of_process(rank, processes.size()));
          const Index end   = result.blocks.first(result.blocks.first_of_process(rank + 1, processes.size()));
          List       &list  = of_process.emplace_back();
          list.reserve(n_numbers * (end - begin));
          for (Index number = begin; number < end; ++number)
            {
              const Index k = result.order[number];
              list.insert(list.end(), {spheres.R(k), spheres.m(k)});
              list.insert(list.end(), spheres.r.col(k).begin(), spheres.r.col(k).end());
              list.insert(list.end(), U.begin() + dim * k, U.begin() + dim * (k + 1));
            }
        }
    }
  const List own = from_first(processes, of_process);
  std::vector<List>().swap(of_process);

  result.n_own      = static_cast<Index>(own.size()) / n_numbers;
  const Index begin = result.blocks.first(result.blocks.first_of_process(processes.rank(), processes.size()));
  result.spheres    = {Eigen::MatrixXd(dim, result.n_own), Vector(result.n_own), Vector(result.n_own)};
  result.U.resize(dim * result.n_own);
  for (Index k = 0; k < result.n_own; ++k)
    {
      const double *const numbers = own.data() + n_numbers * k;
      result.number.push_back(begin + k);
      result.spheres.R(k)            = numbers[0];
      result.spheres.m(k)            = numbers[1];
      result.spheres.r.col(k)        = Eigen::Map<const Vector>(numbers + 2, dim);
      result.U.segment(dim * k, dim) = Eigen::Map<const Vector>(numbers + 2 + dim, dim);
    }
  insert(result, exchanged(processes, near_others(result, range, processes)));
  return result;
}
} // namespace moreau::parallel
