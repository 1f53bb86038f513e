// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MICRO_HIERARCHICAL_GRID_H
#define MOREAU_MICRO_HIERARCHICAL_GRID_H

#include "micro/spheres.h"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numeric>

namespace moreau::micro
{
constexpr Index block = 4096; ///< spheres per task: fixed, so that results do not depend on the number of threads

/// Calls run(block number, first, last) for the blocks of 0 ... n-1, in parallel.
template <class Run>
void for_each_block(const Index n, const Run &run)
{
  tbb::parallel_for(tbb::blocked_range<Index>(0, (n + block - 1) / block, 1), [&](const tbb::blocked_range<Index> &range) {
    for (Index b = range.begin(); b < range.end(); ++b)
      run(b, b * block, std::min(n, (b + 1) * block));
  });
}

/// Spheres of similar radius, sorted into cubic cells.
///
/// A cell is found by its index where the box has no more cells than a few per sphere, else by a hash of its coordinates.
class CellList
{
public:
  using Cell = std::array<std::int64_t, 3>;

  CellList(const Spheres &spheres, const std::vector<int> &members, const double cell_size)
      : spheres(&spheres), dim(spheres.dimension()), cell_size(cell_size), lower(Vector::Zero(dim)), extent{1, 1, 1}
  {
    Vector upper = lower = spheres.r.col(members.front());
    for (const int i : members)
      {
        lower = lower.cwiseMin(spheres.r.col(i));
        upper = upper.cwiseMax(spheres.r.col(i));
      }
    double n_cells = 1.;
    for (Index k = 0; k < dim; ++k)
      {
        extent[k] = coordinate(upper(k), k) + 1;
        n_cells *= extent[k];
      }
    direct              = n_cells <= 4. * members.size() + 64.;
    std::size_t n_lists = direct ? static_cast<std::size_t>(n_cells) : 64;
    while (!direct && n_lists < 2 * members.size())
      n_lists *= 2;
    mask = n_lists - 1;

    begin.assign(n_lists + 1, 0);
    std::vector<std::uint32_t> list_of(members.size());
    for (std::size_t s = 0; s < members.size(); ++s)
      ++begin[(list_of[s] = list(cell(centre_of(members[s])))) + 1];
    std::partial_sum(begin.begin(), begin.end(), begin.begin());
    sorted.resize(members.size());
    std::vector<std::uint32_t> next(begin.begin(), begin.end() - 1);
    for (std::size_t s = 0; s < members.size(); ++s)
      sorted[next[list_of[s]]++] = members[s];
  }

  /// Calls visit(j) for all spheres in the cell of x and its neighbours, until visit returns false.
  template <class Visit>
  void visit_neighbours(const double *x, const Visit &visit) const
  {
    const Cell centre = cell(x);
    Cell       c      = {0, 0, 0};
    const int  reach1 = dim > 1 ? 1 : 0, reach2 = dim > 2 ? 1 : 0;
    for (int k2 = -reach2; k2 <= reach2; ++k2)
      for (int k1 = -reach1; k1 <= reach1; ++k1)
        for (int k0 = -1; k0 <= 1; ++k0)
          {
            c = {centre[0] + k0, centre[1] + k1, centre[2] + k2};
            if (c[0] < 0 || c[1] < 0 || c[2] < 0 || c[0] >= extent[0] || c[1] >= extent[1] || c[2] >= extent[2])
              continue;
            const std::uint32_t l = list(c);
            for (std::uint32_t s = begin[l]; s < begin[l + 1]; ++s)
              if ((direct || cell(centre_of(sorted[s])) == c) && !visit(sorted[s]))
                return;
          }
  }

private:
  std::int64_t coordinate(const double x, const Index k) const
  {
    // a sphere of another level may lie far outside: the clamp keeps the conversion defined
    return static_cast<std::int64_t>(std::clamp(std::floor((x - lower(k)) / cell_size), -4., 1e18));
  }

  Cell cell(const double *x) const
  {
    Cell c = {0, 0, 0};
    for (Index k = 0; k < dim; ++k)
      c[k] = coordinate(x[k], k);
    return c;
  }

  std::uint32_t list(const Cell &c) const
  {
    if (direct)
      return static_cast<std::uint32_t>((c[2] * extent[1] + c[1]) * extent[0] + c[0]);
    std::uint64_t h = 0;
    for (const std::int64_t coordinate : c)
      h = (h ^ static_cast<std::uint64_t>(coordinate)) * 0x9E3779B97F4A7C15u, h ^= h >> 29;
    return static_cast<std::uint32_t>(h & mask);
  }

  const double *centre_of(const int i) const { return spheres->r.data() + dim * i; }

  const Spheres             *spheres;
  Index                      dim;
  double                     cell_size;
  Vector                     lower;
  Cell                       extent; ///< number of cells in each direction
  bool                       direct = false;
  std::uint64_t              mask   = 0;
  std::vector<std::uint32_t> begin; ///< first entry of `sorted` that belongs to a list
  std::vector<int>           sorted;
};

/// One grid for the radii between R_max/2 and R_max, one for those between R_max/4 and R_max/2, ... A sphere looks for
/// partners in its own grid and in those of larger spheres, so that a pair is seen from its smaller member.
class HierarchicalGrid
{
public:
  /// Pairs whose gap is at most relative_reach * (the larger radius) + reach are found.
  HierarchicalGrid(const Spheres &spheres, const double relative_reach, const double reach)
      : spheres(spheres), level(spheres.size())
  {
    const double                  R_max = spheres.R.maxCoeff();
    std::vector<std::vector<int>> members;
    for (Index i = 0; i < spheres.size(); ++i)
      {
        const std::size_t octave = std::max(0, -1 - std::ilogb(spheres.R(i) / R_max));
        members.resize(std::max(members.size(), octave + 1));
        members[octave].push_back(static_cast<int>(i));
      }
    for (const std::vector<int> &octave : members)
      if (!octave.empty())
        {
          double R = 0.;
          for (const int i : octave)
            {
              R        = std::max(R, spheres.R(i));
              level[i] = static_cast<int>(grids.size());
            }
          // a little more than the largest distance, for the rounding of coordinates divided by the size
          grids.emplace_back(spheres, octave, (2. * R + relative_reach * R + reach) * (1. + 1e-9));
        }
  }

  /// Calls visit(j) for all possible partners of i that are larger or, in the same grid, come later.
  template <class Visit>
  void visit_partners(const Index i, const Visit &visit) const
  {
    bool       going_on = true;
    const auto later    = [&](const int j) { return going_on = (level[j] < level[i] || j > i) ? visit(j) : true; };
    for (int l = level[i]; l >= 0 && going_on; --l)
      grids[l].visit_neighbours(spheres.r.col(i).data(), later);
  }

private:
  const Spheres        &spheres;
  std::vector<int>      level;
  std::vector<CellList> grids; ///< of decreasing radii
};

} // namespace moreau::micro

#endif
