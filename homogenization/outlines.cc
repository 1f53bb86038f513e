// SPDX-License-Identifier: GPL-3.0-or-later
#include "homogenization/outlines.h"

#include "homogenization/voronoi.h"

#include <limits>
#include <numeric>

namespace moreau::homogenization
{
void OutlineBlock::close_cell(const Index dim)
{
  const OutlineSize all = {static_cast<int>(vertices.size() / dim), static_cast<int>(face_vertices.size()),
                           static_cast<int>(behind_face.size())};
  sizes.push_back({all.vertices - before.vertices, all.face_entries - before.face_entries, all.faces - before.faces});
  before = all;
}

Outlines allocated(const Index dim, const std::vector<OutlineSize> &sizes)
{
  Outlines all;
  for (std::vector<Index> *start : {&all.vertex_start, &all.face_start, &all.behind_start})
    start->reserve(sizes.size() + 1);
  for (const OutlineSize &size : sizes)
    {
      all.vertex_start.push_back(all.vertex_start.back() + size.vertices);
      all.face_start.push_back(all.face_start.back() + size.face_entries);
      all.behind_start.push_back(all.behind_start.back() + size.faces);
    }
  all.vertices.resize(dim, all.vertex_start.back());
  all.face_vertices.resize(all.face_start.back());
  all.behind_face.resize(all.behind_start.back());
  return all;
}

Outlines joined(const Index dim, const std::vector<OutlineBlock> &blocks)
{
  std::vector<OutlineSize> sizes;
  for (const OutlineBlock &block : blocks)
    sizes.insert(sizes.end(), block.sizes.begin(), block.sizes.end());
  Outlines all       = allocated(dim, sizes);
  double  *vertex    = all.vertices.data();
  int     *entry     = all.face_vertices.data();
  int     *neighbour = all.behind_face.data();
  for (const OutlineBlock &block : blocks)
    {
      vertex    = std::copy(block.vertices.begin(), block.vertices.end(), vertex);
      entry     = std::copy(block.face_vertices.begin(), block.face_vertices.end(), entry);
      neighbour = std::copy(block.behind_face.begin(), block.behind_face.end(), neighbour);
    }
  return all;
}

bool equal_radii(const micro::Spheres &spheres)
{
  return spheres.R.maxCoeff() - spheres.R.minCoeff() <= 1e-9 * spheres.R.maxCoeff();
}

double rounding_of_coordinates(const macro::Domain &domain)
{
  return 16. * std::numeric_limits<double>::epsilon() *
         std::max(domain.lower.cwiseAbs().maxCoeff(), domain.upper.cwiseAbs().maxCoeff());
}

std::vector<int> sorted_along_line(const micro::Spheres &spheres)
{
  std::vector<int> order(spheres.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](const int i, const int j) {
    return spheres.r(0, i) != spheres.r(0, j) ? spheres.r(0, i) < spheres.r(0, j) : i < j;
  });
  return order;
}

Outlines line_outlines(const micro::Spheres &spheres, const Index n_own, const macro::Domain &domain)
{
  const Index            n     = spheres.size();
  const bool             equal = equal_radii(spheres);
  const std::vector<int> order = sorted_along_line(spheres);

  Outlines all;
  all.words = "segments";
  all.vertices.resize(1, 2 * n);
  all.behind_face.resize(2 * n);
  all.face_start.assign(n + 1, 0);
  for (Index i = 0; i < n; ++i)
    {
      all.vertex_start.push_back(2 * i + 2);
      all.behind_start.push_back(2 * i + 2);
    }
  for (Index k = 0; k <= n; ++k) // the boundary between the spheres order[k-1] and order[k]
    {
      double x = k == 0 ? domain.lower(0) : domain.upper(0);
      if (k > 0 && k < n)
        {
          const int    i = order[k - 1], j = order[k];
          const double distance = spheres.r(0, j) - spheres.r(0, i);
          x                     = spheres.r(0, i) + .5 * (distance + power_difference(spheres, equal, i, j) / distance);
        }
      if (k > 0)
        {
          all.vertices(0, 2 * order[k - 1] + 1) = x;
          all.behind_face[2 * order[k - 1] + 1] = k < n ? order[k] : VoronoiCells::box;
        }
      if (k < n)
        {
          all.vertices(0, 2 * order[k]) = x;
          all.behind_face[2 * order[k]] = k > 0 ? order[k - 1] : VoronoiCells::box;
        }
    }
  // the segment of a sphere that others cover would have its ends the wrong way round: it is empty
  for (Index i = 0; i < n; ++i)
    if (all.vertices(0, 2 * i) > all.vertices(0, 2 * i + 1))
      all.vertices(0, 2 * i) = all.vertices(0, 2 * i + 1);
  all.vertices.conservativeResize(1, 2 * n_own);
  all.behind_face.resize(2 * n_own);
  for (std::vector<Index> *const start : {&all.vertex_start, &all.face_start, &all.behind_start})
    start->resize(n_own + 1);
  return all;
}
} // namespace moreau::homogenization
