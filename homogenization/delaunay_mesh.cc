// SPDX-License-Identifier: GPL-3.0-or-later
#include "homogenization/outlines.h"
#include "homogenization/plane_triangulation.h"
#include "homogenization/simplex_geometry.h"
#include "homogenization/voronoi.h"
#include "macro/saturated_cells.h"

#include <CGAL/Delaunay_triangulation_3.h>
#include <CGAL/Triangulation_vertex_base_with_info_3.h>

namespace moreau::homogenization
{
namespace
{
using SpaceDelaunay = CGAL::Delaunay_triangulation_3<
    PlaneKernel, CGAL::Triangulation_data_structure_3<CGAL::Triangulation_vertex_base_with_info_3<int, PlaneKernel>,
                                                      CGAL::Delaunay_triangulation_cell_base_3<PlaneKernel>>>;

std::vector<int> segments(const micro::Spheres &spheres)
{
  const std::vector<int> order = sorted_along_line(spheres);
  std::vector<int>       corners;
  for (std::size_t k = 0; k + 1 < order.size(); ++k)
    corners.insert(corners.end(), {order[k], order[k + 1]});
  return corners;
}

std::vector<int> triangles(const micro::Spheres &spheres)
{
  const PlaneDelaunay delaunay = plane_delaunay(spheres);
  std::vector<int>    corners;
  corners.reserve(3 * delaunay.number_of_faces());
  for (auto face = delaunay.finite_faces_begin(); face != delaunay.finite_faces_end(); ++face)
    for (int k = 0; k < 3; ++k)
      corners.push_back(face->vertex(k)->info());
  return corners;
}

std::vector<int> tetrahedra(const micro::Spheres &spheres)
{
  std::vector<std::pair<PlaneKernel::Point_3, int>> points;
  points.reserve(spheres.size());
  for (Index i = 0; i < spheres.size(); ++i)
    points.emplace_back(PlaneKernel::Point_3(spheres.r(0, i), spheres.r(1, i), spheres.r(2, i)), static_cast<int>(i));
  const SpaceDelaunay delaunay(points.begin(), points.end());
  std::vector<int>    corners;
  corners.reserve(4 * delaunay.number_of_cells());
  for (auto cell = delaunay.finite_cells_begin(); cell != delaunay.finite_cells_end(); ++cell)
    for (int k = 0; k < 4; ++k)
      corners.push_back(cell->vertex(k)->info());
  return corners;
}
} // namespace

DelaunayMesh delaunay_mesh(const micro::Spheres &spheres, const macro::Domain &domain)
{
  DelaunayMesh mesh;
  mesh.dim     = spheres.dimension();
  mesh.corners = mesh.dim == 1 ? segments(spheres) : mesh.dim == 2 ? triangles(spheres) : tetrahedra(spheres);

  const Index       n = mesh.n_simplices(), n_corners = mesh.dim + 1;
  Eigen::VectorXd   volume(n);
  std::vector<char> inside(n);
  for_each_block(n, [&](Index, const Index first, const Index last) {
    Eigen::MatrixXd corners(mesh.dim, n_corners), centroid(mesh.dim, last - first);
    for (Index s = first; s < last; ++s)
      {
        for (Index k = 0; k < n_corners; ++k)
          corners.col(k) = spheres.r.col(mesh.corners[n_corners * s + k]);
        volume(s)               = signed_volume(corners);
        centroid.col(s - first) = corners.rowwise().mean();
      }
    const std::vector<char> saturated = macro::saturated_at(domain, centroid);
    std::copy(saturated.begin(), saturated.end(), inside.begin() + first);
  });
  const double sliver = n > 0 ? 1e-9 * volume.maxCoeff() : 0.;
  Index        n_kept = 0;
  for (Index s = 0; s < n; ++s)
    if (volume(s) > sliver && inside[s])
      {
        std::copy_n(mesh.corners.begin() + n_corners * s, n_corners, mesh.corners.begin() + n_corners * n_kept);
        ++n_kept;
      }
  mesh.corners.resize(n_corners * n_kept);
  return mesh;
}
} // namespace moreau::homogenization
