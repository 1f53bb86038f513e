// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_HOMOGENIZATION_PLANE_TRIANGULATION_H
#define MOREAU_HOMOGENIZATION_PLANE_TRIANGULATION_H

#include "micro/spheres.h"

#include <CGAL/Delaunay_triangulation_2.h>
#include <CGAL/Exact_predicates_inexact_constructions_kernel.h>
#include <CGAL/Triangulation_vertex_base_with_info_2.h>

#include <vector>

/// For source files that use CGAL: its headers compile slowly.
namespace moreau::homogenization
{
using PlaneKernel   = CGAL::Exact_predicates_inexact_constructions_kernel;
using PlaneDelaunay = CGAL::Delaunay_triangulation_2<
    PlaneKernel, CGAL::Triangulation_data_structure_2<CGAL::Triangulation_vertex_base_with_info_2<int, PlaneKernel>>>;

/// The Delaunay triangulation of the centres, whose vertices know their spheres.
inline PlaneDelaunay plane_delaunay(const micro::Spheres &spheres)
{
  std::vector<std::pair<PlaneKernel::Point_2, int>> points;
  points.reserve(spheres.size());
  for (Eigen::Index i = 0; i < spheres.size(); ++i)
    points.emplace_back(PlaneKernel::Point_2(spheres.r(0, i), spheres.r(1, i)), static_cast<int>(i));
  return PlaneDelaunay(points.begin(), points.end());
}
} // namespace moreau::homogenization

#endif
