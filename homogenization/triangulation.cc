// SPDX-License-Identifier: GPL-3.0-or-later
#include "homogenization/triangulation.h"

#include "homogenization/plane_triangulation.h"

#include <CGAL/Delaunay_triangulation_3.h>
#include <CGAL/Triangulation_vertex_base_with_info_3.h>

#include <iterator>

namespace moreau::homogenization
{
namespace
{
using SpaceDelaunay = CGAL::Delaunay_triangulation_3<
    PlaneKernel, CGAL::Triangulation_data_structure_3<CGAL::Triangulation_vertex_base_with_info_3<int, PlaneKernel>,
                                                      CGAL::Delaunay_triangulation_cell_base_3<PlaneKernel>>>;

Triangulation triangles(const micro::Spheres &spheres)
{
  const PlaneDelaunay delaunay = plane_delaunay(spheres);
  Triangulation       result{2, {}, {}};
  if (delaunay.dimension() < 2)
    return result;
  result.simplices.reserve(3 * delaunay.number_of_faces());
  for (auto face = delaunay.finite_faces_begin(); face != delaunay.finite_faces_end(); ++face)
    for (int k = 0; k < 3; ++k)
      result.simplices.push_back(face->vertex(k)->info());
  const auto infinite = delaunay.infinite_vertex();
  auto       face     = delaunay.incident_faces(infinite);
  const auto first    = face;
  do
    {
      const int k = face->index(infinite);
      result.hull.push_back(face->vertex(delaunay.cw(k))->info());
      result.hull.push_back(face->vertex(delaunay.ccw(k))->info());
  } while (++face != first);
  return result;
}

Triangulation tetrahedra(const micro::Spheres &spheres)
{
  std::vector<std::pair<PlaneKernel::Point_3, int>> points;
  points.reserve(spheres.size());
  for (Index i = 0; i < spheres.size(); ++i)
    points.emplace_back(PlaneKernel::Point_3(spheres.r(0, i), spheres.r(1, i), spheres.r(2, i)), static_cast<int>(i));
  const SpaceDelaunay delaunay(points.begin(), points.end());
  Triangulation       result{3, {}, {}};
  if (delaunay.dimension() < 3)
    return result;
  result.simplices.reserve(4 * delaunay.number_of_cells());
  for (auto cell = delaunay.finite_cells_begin(); cell != delaunay.finite_cells_end(); ++cell)
    for (int k = 0; k < 4; ++k)
      result.simplices.push_back(cell->vertex(k)->info());
  std::vector<SpaceDelaunay::Cell_handle> outside;
  delaunay.incident_cells(delaunay.infinite_vertex(), std::back_inserter(outside));
  for (const auto &cell : outside)
    for (int k = 0; k < 4; ++k)
      if (cell->vertex(k) != delaunay.infinite_vertex())
        result.hull.push_back(cell->vertex(k)->info());
  return result;
}
} // namespace

Triangulation triangulation(const micro::Spheres &spheres)
{
  return spheres.dimension() == 2 ? triangles(spheres) : tetrahedra(spheres);
}
} // namespace moreau::homogenization
