// SPDX-License-Identifier: GPL-3.0-or-later
#include "homogenization/repeated_cells.h"

#include "homogenization/voronoi.h"

#include <Eigen/Dense>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace moreau::homogenization
{
RepeatedCells::RepeatedCells(const micro::Spheres &spheres, const double rounding, const std::vector<int> &samples,
                             std::vector<SpaceCell> cells)
    : spheres(spheres), rounding(rounding)
{
  std::vector<Prototype> candidates;
  for (std::size_t s = 0; s < samples.size(); ++s)
    {
      const std::vector<int> &behind = cells[s].behind_face;
      if (behind.empty() || std::find(behind.begin(), behind.end(), VoronoiCells::box) != behind.end())
        continue;
      Prototype candidate;
      candidate.vertices = cells[s].points();
      candidate.neighbours.resize(3, behind.size());
      for (std::size_t k = 0; k < behind.size(); ++k)
        candidate.neighbours.col(k) = spheres.r.col(behind[k]) - spheres.r.col(samples[s]);
      candidate.reach = 4. * candidate.vertices.colwise().squaredNorm().maxCoeff();
      candidate.cell  = std::move(cells[s]);
      candidates.push_back(std::move(candidate));
    }
  if (!candidates.empty())
    {
      // cells at the border of a lattice can be very large, and finding neighbours that far away would take long
      double smallest = candidates.front().reach;
      for (const Prototype &candidate : candidates)
        smallest = std::min(smallest, candidate.reach);
      candidates.erase(std::remove_if(candidates.begin(), candidates.end(),
                                      [&](const Prototype &candidate) { return candidate.reach > 2.5 * smallest; }),
                       candidates.end());
      for (const Prototype &candidate : candidates)
        grid_size = std::max(grid_size, std::sqrt(candidate.reach));
      sort_into_grid();
      choose_prototypes(samples, candidates);
    }
}

void RepeatedCells::choose_prototypes(const std::vector<int> &samples, const std::vector<Prototype> &candidates)
{
  constexpr Index   n_prototypes = 8;
  std::vector<char> is_known(samples.size(), 0);
  std::vector<int>  behind;
  for (const Prototype &candidate : candidates)
    {
      int n_alike = 0, n_new = 0;
      for (std::size_t s = 0; s < samples.size(); ++s)
        if (matches(candidate, samples[s], behind))
          {
            ++n_alike;
            n_new += !is_known[s];
            is_known[s] = 1;
          }
      if (n_alike > 1 && n_new > 0 && size() < n_prototypes)
        prototypes.push_back(candidate);
    }
}

void RepeatedCells::sort_into_grid()
{
  const Index           n     = spheres.size();
  const Eigen::Vector3d upper = spheres.r.rowwise().maxCoeff();
  lower                       = spheres.r.rowwise().minCoeff();
  // not many more grid cells than spheres where these fill only a part of their box
  grid_size =
      std::max(grid_size * (1. + 1e-9) + rounding, std::cbrt((upper - lower).prod() / (4. * static_cast<double>(n))));
  Index n_grid = 1;
  for (int k = 0; k < 3; ++k)
    n_grid *= extent[k] = static_cast<Index>((upper(k) - lower(k)) / grid_size) + 1;

  std::vector<Index> place(n);
  grid_start.assign(n_grid + 1, 0);
  for (Index i = 0; i < n; ++i)
    {
      const Eigen::Vector3d x = (spheres.r.col(i) - lower) / grid_size;
      place[i] = (static_cast<Index>(x(2)) * extent[1] + static_cast<Index>(x(1))) * extent[0] + static_cast<Index>(x(0));
      ++grid_start[place[i] + 1];
    }
  std::partial_sum(grid_start.begin(), grid_start.end(), grid_start.begin());
  std::vector<Index> next(grid_start.begin(), grid_start.end() - 1);
  sorted.resize(n);
  for (Index i = 0; i < n; ++i)
    sorted[next[place[i]]++] = static_cast<int>(i);
}

Index RepeatedCells::find(const Index i, std::vector<int> &behind) const
{
  for (Index k = 0; k < size(); ++k)
    if (matches(prototypes[k], i, behind))
      return k;
  return -1;
}

bool RepeatedCells::matches(const Prototype &prototype, const Index i, std::vector<int> &behind) const
{
  const Eigen::Vector3d r         = spheres.r.col(i);
  const double          tolerance = rounding * std::sqrt(prototype.reach);
  const Index           n_faces   = prototype.neighbours.cols();
  Index                 n_missing = n_faces;
  behind.assign(n_faces, -1);

  std::array<Index, 3> first, last;
  for (int k = 0; k < 3; ++k)
    {
      const Index place = static_cast<Index>((r(k) - lower(k)) / grid_size);
      first[k]          = std::max<Index>(place - 1, 0);
      last[k]           = std::min(place + 1, extent[k] - 1);
    }
  for (Index c2 = first[2]; c2 <= last[2]; ++c2)
    for (Index c1 = first[1]; c1 <= last[1]; ++c1)
      {
        const Index row = (c2 * extent[1] + c1) * extent[0];
        for (Index s = grid_start[row + first[0]]; s < grid_start[row + last[0] + 1]; ++s)
          {
            const int             j        = sorted[s];
            const Eigen::Vector3d distance = spheres.r.col(j) - r;
            const double          squared  = distance.squaredNorm();
            if (squared >= prototype.reach || j == i)
              continue;
            Index face = 0;
            while (face < n_faces && (prototype.neighbours.col(face) - distance).cwiseAbs().maxCoeff() > rounding)
              ++face;
            if (face < n_faces)
              {
                n_missing -= behind[face] < 0;
                behind[face] = j;
              }
            else if ((distance.transpose() * prototype.vertices).maxCoeff() > .5 * squared + tolerance)
              return false;
          }
      }
  return n_missing == 0;
}
} // namespace moreau::homogenization
