// SPDX-License-Identifier: GPL-3.0-or-later
#include "parallel/shared_spheres.h"

#include "parallel/hilbert_order.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <utility>

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

  /// Whether spheres in the two boxes, or in one and an image of the other, may have a gap of at most `reach`.
  ///   period  0 in directions that do not repeat themselves
  bool may_touch(const Box &other, const double reach, const Eigen::Array3d &period) const
  {
    const auto apart = [&](const Eigen::Array3d &shift) -> Eigen::Array3d {
      return (lower - (other.upper + shift)).max((other.lower + shift) - upper).max(0.);
    };
    const Eigen::Array3d nearest = apart(Eigen::Array3d::Zero()).min(apart(period)).min(apart(-period));
    return nearest.matrix().norm() <= (R + other.R + reach) * (1. + 1e-9);
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

/// number, place, radius, mass, centre of each own sphere that may touch one of another process, for that process.
std::vector<List> near_others(const SharedSpheres &shared, const micro::ContactRange &range, const micro::PeriodicBox &box,
                              const Processes &processes)
{
  const std::vector<Box> boxes  = boxes_of_blocks(shared, processes);
  const Blocks          &blocks = shared.blocks;
  const Index            dim = shared.spheres.dimension(), n_processes = processes.size(), rank = processes.rank();
  const Index            first = blocks.first_of_process(rank, n_processes);
  std::vector<List>      to(n_processes);
  Eigen::Array3d         period  = Eigen::Array3d::Zero();
  period.head(box.period.size()) = box.period;
  const double rounding          = box.any() ? range.rounding : 0.; // of sums of coordinates and periods
  const auto   may_touch         = [&](const Box &a, const Box &b) {
    return a.may_touch(b, range(std::max(a.R, b.R)) + rounding, period);
  };
  for (Index k = 0; k < shared.n_own;)
    {
      const Index block = first + k / blocks.size, end = std::min(shared.n_own, k + blocks.size);
      // blocks of others, process by process
      std::vector<std::vector<Index>> candidates(n_processes);
      for (Index other = 0; other < n_processes; ++other)
        if (other != rank)
          for (Index b = blocks.first_of_process(other, n_processes); b < blocks.first_of_process(other + 1, n_processes);
               ++b)
            if (may_touch(boxes[block], boxes[b]))
              candidates[other].push_back(b);
      for (; k < end; ++k)
        for (Index other = 0; other < n_processes; ++other)
          {
            Box sphere;
            sphere.add(centre(shared.spheres, k), shared.spheres.R(k));
            const bool is_near = std::any_of(candidates[other].begin(), candidates[other].end(),
                                             [&](const Index b) { return may_touch(sphere, boxes[b]); });
            if (!is_near)
              continue;
            to[other].insert(to[other].end(), {static_cast<double>(shared.number[k]), static_cast<double>(shared.place[k]),
                                               sphere.R, shared.spheres.m(k)});
            to[other].insert(to[other].end(), sphere.lower.begin(), sphere.lower.begin() + dim);
          }
    }
  return to;
}

/// Own spheres with those of others before and behind them.
void insert(SharedSpheres &shared, const List &others)
{
  const Index   dim       = shared.spheres.dimension();
  const Index   n_numbers = 4 + dim, n_others = static_cast<Index>(others.size()) / n_numbers;
  const double *at = others.data();

  Index n_before = 0; // they come in the order of ranks, and so of numbers
  while (n_before < n_others && shared.n_own > 0 &&
         others[n_numbers * n_before] < static_cast<double>(shared.number.front()))
    ++n_before;
  const Index        n = shared.n_own + n_others;
  std::vector<Index> number(n), place_given(n);
  micro::Spheres     all{Eigen::MatrixXd(dim, n), Vector(n), Vector(n)};
  for (Index k = 0; k < n_others; ++k, at += n_numbers)
    {
      const Index place  = k < n_before ? k : k + shared.n_own;
      number[place]      = static_cast<Index>(at[0]);
      place_given[place] = static_cast<Index>(at[1]);
      all.R(place)       = at[2];
      all.m(place)       = at[3];
      all.r.col(place)   = Eigen::Map<const Vector>(at + 4, dim);
    }
  std::copy(shared.number.begin(), shared.number.end(), number.begin() + n_before);
  std::copy(shared.place.begin(), shared.place.end(), place_given.begin() + n_before);
  all.R.segment(n_before, shared.n_own)    = shared.spheres.R;
  all.m.segment(n_before, shared.n_own)    = shared.spheres.m;
  all.r.middleCols(n_before, shared.n_own) = shared.spheres.r;
  shared.spheres                           = std::move(all);
  shared.number                            = std::move(number);
  shared.place                             = std::move(place_given);
  shared.first_own                         = n_before;
}
/// The corners of the box of all centres.
std::pair<Vector, Vector> box_of(const micro::Spheres &given, const Processes &processes)
{
  const Index dim = given.dimension();
  Vector      lower(dim), upper(dim);
  for (Index a = 0; a < dim; ++a)
    {
      lower(a) = -processes.max(given.size() > 0 ? -given.r.row(a).minCoeff() : -infinity);
      upper(a) = processes.max(given.size() > 0 ? given.r.row(a).maxCoeff() : -infinity);
    }
  return {lower, upper};
}

/// Ascending keys of all processes, equal ones in the order of ranks, are dealt out: process r gets those from the
/// first[r]-th to the first[r+1]-th. Where these begin among the keys here, and how many there are here.
std::vector<Index> cuts(const std::vector<std::uint64_t> &keys, const std::vector<Index> &first, const Processes &processes)
{
  const auto below = [&](const std::uint64_t key) -> Index {
    return std::lower_bound(keys.begin(), keys.end(), key) - keys.begin();
  };
  // the largest keys that no more than first[r] others are below, bit by bit
  std::vector<std::uint64_t> key(first.size(), 0);
  std::vector<Index>         n_below(first.size(), 0), n_equal, result;
  for (int bit = 62; bit >= 0; --bit)
    {
      const std::uint64_t step = std::uint64_t(1) << bit;
      std::vector<Index>  n;
      for (const std::uint64_t k : key)
        n.push_back(below(k + step));
      n = sum(processes, std::move(n));
      for (std::size_t r = 0; r < first.size(); ++r)
        if (n[r] <= first[r])
          {
            key[r] += step;
            n_below[r] = n[r];
          }
    }
  for (const std::uint64_t k : key)
    n_equal.push_back(below(k + 1) - below(k));
  const std::vector<Index> n_before = sum_of_lower(processes, n_equal);
  for (std::size_t r = 0; r < first.size(); ++r)
    result.push_back(below(key[r]) + std::clamp<Index>(first[r] - n_below[r] - n_before[r], 0, n_equal[r]));
  return result;
}

/// place, radius, mass, centre, velocity of each sphere given here, for the process that is to own it, along the curve.
std::vector<List> for_owners(const micro::Spheres &given, const Vector &U, const SharedSpheres &shared,
                             const std::pair<Vector, Vector> &box, const Processes &processes)
{
  const Index                      dim = given.dimension(), n_processes = processes.size();
  const std::vector<std::uint64_t> keys  = hilbert_keys(given.r, box.first, box.second);
  const std::vector<Index>         order = ascending(keys);
  std::vector<std::uint64_t>       sorted;
  sorted.reserve(keys.size());
  for (const Index k : order)
    sorted.push_back(keys[k]);
  std::vector<Index> first;
  for (Index rank = 0; rank <= n_processes; ++rank)
    first.push_back(shared.blocks.first(shared.blocks.first_of_process(rank, n_processes)));
  const std::vector<Index> cut         = cuts(sorted, first, processes);
  const Index              first_place = shared.given_begin[processes.rank()];
  std::vector<List>        to(n_processes);
  for (Index rank = 0; rank < n_processes; ++rank)
    {
      to[rank].reserve((2 * dim + 3) * (cut[rank + 1] - cut[rank]));
      for (Index at = cut[rank]; at < cut[rank + 1]; ++at)
        {
          const Index k = order[at];
          to[rank].insert(to[rank].end(), {static_cast<double>(first_place + k), given.R(k), given.m(k)});
          to[rank].insert(to[rank].end(), given.r.col(k).begin(), given.r.col(k).end());
          to[rank].insert(to[rank].end(), U.begin() + dim * k, U.begin() + dim * (k + 1));
        }
    }
  return to;
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

std::size_t SharedSpheres::giver(const Index place) const
{
  return static_cast<std::size_t>(std::upper_bound(given_begin.begin(), given_begin.end(), place) - given_begin.begin()) - 1;
}

std::vector<Index> places_of_processes(const Index n, const Processes &processes)
{
  std::vector<Index> begin(1, 0);
  for (const double n_given : on_all(processes, {static_cast<double>(n)}))
    begin.push_back(begin.back() + static_cast<Index>(n_given));
  return begin;
}

SharedSpheres share(const micro::Spheres &given, const Vector &U, const micro::ContactRange &range, const Index block_size,
                    const Processes &processes, const micro::PeriodicBox &periodic)
{
  SharedSpheres result;
  const Index   dim = given.dimension(), n_numbers = 2 * dim + 3;
  result.given_begin = places_of_processes(given.size(), processes);
  result.blocks      = {result.given_begin.back(), block_size};

  const std::pair<Vector, Vector> box = box_of(given, processes);
  const List                      own = exchanged(processes, for_owners(given, U, result, box, processes));

  result.n_own             = static_cast<Index>(own.size()) / n_numbers;
  const Index        begin = result.blocks.first(result.blocks.first_of_process(processes.rank(), processes.size()));
  std::vector<Index> order(result.n_own); // that of the curve; what came from one process alone has it
  std::iota(order.begin(), order.end(), 0);
  if (processes.size() > 1)
    {
      Eigen::MatrixXd r(dim, result.n_own);
      for (Index k = 0; k < result.n_own; ++k)
        r.col(k) = Eigen::Map<const Vector>(own.data() + n_numbers * k + 3, dim);
      order = ascending(hilbert_keys(r, box.first, box.second));
    }

  result.spheres = {Eigen::MatrixXd(dim, result.n_own), Vector(result.n_own), Vector(result.n_own)};
  result.U.resize(dim * result.n_own);
  for (Index k = 0; k < result.n_own; ++k)
    {
      const double *const numbers = own.data() + n_numbers * order[k];
      result.number.push_back(begin + k);
      result.place.push_back(static_cast<Index>(numbers[0]));
      result.spheres.R(k)            = numbers[1];
      result.spheres.m(k)            = numbers[2];
      result.spheres.r.col(k)        = Eigen::Map<const Vector>(numbers + 3, dim);
      result.U.segment(dim * k, dim) = Eigen::Map<const Vector>(numbers + 3 + dim, dim);
    }
  insert(result, exchanged(processes, near_others(result, range, periodic, processes)));
  return result;
}
} // namespace moreau::parallel
