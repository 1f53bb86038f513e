// SPDX-License-Identifier: GPL-3.0-or-later
#include "homogenization/repeated_cells.h"

#include "homogenization/voronoi.h"
#include "parallel/collectives.h"

#include <Eigen/Dense>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace moreau::homogenization
{
RepeatedCells::RepeatedCells(const micro::Spheres &spheres, const double rounding, const std::vector<int> &samples,
                             const std::vector<SpaceCell> &cells, const geometry::Processes &processes)
    : spheres(spheres), rounding(rounding)
{
  std::vector<Prototype> candidates = candidates_of_all(samples, cells, processes);
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
      choose_prototypes(samples, candidates, processes);
    }
}

/// They travel as numbers: how many of each kind, vertices, faces, neighbours.
std::vector<RepeatedCells::Prototype> RepeatedCells::candidates_of_all(const std::vector<int>       &samples,
                                                                       const std::vector<SpaceCell> &cells,
                                                                       const geometry::Processes    &processes) const
{
  parallel::List numbers;
  for (std::size_t s = 0; s < samples.size(); ++s)
    {
      const SpaceCell        &cell   = cells[s];
      const std::vector<int> &behind = cell.behind_face;
      if (behind.empty() || std::find(behind.begin(), behind.end(), VoronoiCells::box) != behind.end())
        continue;
      for (const std::size_t n : {cell.vertices.size(), cell.face_vertices.size(), behind.size()})
        numbers.push_back(static_cast<double>(n));
      numbers.insert(numbers.end(), cell.vertices.begin(), cell.vertices.end());
      numbers.insert(numbers.end(), cell.face_vertices.begin(), cell.face_vertices.end());
      for (const int j : behind)
        {
          const Eigen::Vector3d neighbour = spheres.r.col(j) - spheres.r.col(samples[s]);
          numbers.insert(numbers.end(), neighbour.begin(), neighbour.end());
        }
    }
  numbers = parallel::on_all(processes, numbers);
  std::vector<Prototype> candidates;
  for (const double *at = numbers.data(), *end = at + numbers.size(); at != end;)
    {
      const Index n_vertices = static_cast<Index>(at[0]), n_entries = static_cast<Index>(at[1]),
                  n_faces = static_cast<Index>(at[2]);
      at += 3;
      Prototype candidate;
      candidate.cell.vertices.assign(at, at + n_vertices);
      candidate.cell.face_vertices.assign(at + n_vertices, at + n_vertices + n_entries);
      candidate.cell.behind_face.assign(n_faces, -1);
      at += n_vertices + n_entries;
      candidate.vertices   = candidate.cell.points();
      candidate.neighbours = Eigen::Map<const Eigen::Matrix3Xd>(at, 3, n_faces);
      candidate.reach      = 4. * candidate.vertices.colwise().squaredNorm().maxCoeff();
      at += 3 * n_faces;
      candidates.push_back(std::move(candidate));
    }
  return candidates;
}

void RepeatedCells::choose_prototypes(const std::vector<int> &samples, const std::vector<Prototype> &candidates,
                                      const geometry::Processes &processes)
{
  constexpr Index  n_prototypes = 8;
  const Index      n_candidates = static_cast<Index>(candidates.size());
  std::vector<int> behind;
  parallel::List   is_alike; // sample by sample
  for (const int sample : samples)
    for (const Prototype &candidate : candidates)
      is_alike.push_back(matches(candidate, sample, behind) ? 1. : 0.);
  is_alike              = parallel::on_all(processes, is_alike);
  const Index n_samples = static_cast<Index>(is_alike.size()) / n_candidates;

  std::vector<char> is_known(n_samples, 0);
  for (Index k = 0; k < n_candidates; ++k)
    {
      int n_alike = 0, n_new = 0;
      for (Index s = 0; s < n_samples; ++s)
        if (is_alike[n_candidates * s + k] == 1.)
          {
            ++n_alike;
            n_new += !is_known[s];
            is_known[s] = 1;
          }
      if (n_alike > 1 && n_new > 0 && size() < n_prototypes)
        prototypes.push_back(candidates[k]);
    }
}

void RepeatedCells::sort_into_grid()
{
  const Index n = spheres.size();
  if (n == 0) // of a process that has none
    return;
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
