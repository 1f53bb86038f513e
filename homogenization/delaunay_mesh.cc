// SPDX-License-Identifier: GPL-3.0-or-later
#include "homogenization/outlines.h"
#include "homogenization/simplex_geometry.h"
#include "homogenization/triangulation.h"
#include "homogenization/voronoi.h"
#include "macro/saturated_cells.h"

#include <Eigen/Geometry>

#include <algorithm>
#include <limits>
#include <numeric>
#include <tuple>

namespace moreau::homogenization
{
namespace
{
std::vector<int> segments(const micro::Spheres &spheres)
{
  const std::vector<int> order = sorted_along_line(spheres);
  std::vector<int>       corners;
  for (std::size_t k = 0; k + 1 < order.size(); ++k)
    corners.insert(corners.end(), {order[k], order[k + 1]});
  return corners;
}

Eigen::MatrixXd corners_of_simplex(const DelaunayMesh &mesh, const micro::Spheres &spheres, const Index s)
{
  Eigen::MatrixXd corners(mesh.dim, mesh.dim + 1);
  for (Index k = 0; k <= mesh.dim; ++k)
    corners.col(k) = spheres.r.col(mesh.corners[(mesh.dim + 1) * s + k]);
  return corners;
}

/// Volumes of simplices, and whether their centroids lie in the zone.
struct Simplices
{
  Eigen::VectorXd   volume;
  std::vector<char> inside;

  Simplices(const DelaunayMesh &mesh, const micro::Spheres &spheres, const macro::Domain &domain)
      : volume(mesh.n_simplices()), inside(mesh.n_simplices())
  {
    for_each_block(volume.size(), [&](Index, const Index first, const Index last) {
      Eigen::MatrixXd centroid(mesh.dim, last - first);
      for (Index s = first; s < last; ++s)
        {
          const Eigen::MatrixXd corners = corners_of_simplex(mesh, spheres, s);
          volume(s)                     = signed_volume(corners);
          centroid.col(s - first)       = corners.rowwise().mean();
        }
      const std::vector<char> saturated = macro::saturated_at(domain, centroid);
      std::copy(saturated.begin(), saturated.end(), inside.begin() + first);
    });
  }

  double largest() const { return volume.size() > 0 ? volume.maxCoeff() : 0.; }
};

constexpr double sliver = 1e-9; ///< of the largest volume

/// Leaves only simplices for which keep(s) holds.
template <class Keep>
void keep_simplices(DelaunayMesh &mesh, const Keep &keep)
{
  const Index n_corners = mesh.dim + 1;
  Index       n_kept    = 0;
  for (Index s = 0; s < mesh.n_simplices(); ++s)
    if (keep(s))
      std::copy_n(mesh.corners.begin() + n_corners * s, n_corners, mesh.corners.begin() + n_corners * n_kept++);
  mesh.corners.resize(n_corners * n_kept);
}

/// Puts the corner with the lowest number first, and of the others of a tetrahedron the lowest second: of the ways to write
/// a simplex with this orientation, the same wherever the list comes from.
void begin_with_lowest(int *const corner, const Index dim, const SpheresHere &here)
{
  const auto less   = [&](const int i, const int j) { return here.number_of(i) < here.number_of(j); };
  const auto lowest = std::min_element(corner, corner + dim + 1, less);
  if (dim == 1) // the left one first, whatever its number
    return;
  if (dim == 2)
    {
      std::rotate(corner, lowest, corner + dim + 1);
      return;
    }
  if (lowest != corner)
    {
      std::iter_swap(corner, lowest);
      std::iter_swap(corner + (lowest == corner + 1 ? 2 : 1), corner + (lowest == corner + 3 ? 2 : 3));
    }
  std::rotate(corner + 1, std::min_element(corner + 1, corner + 4, less), corner + 4);
}

/// Those that begin with an own sphere, ordered by numbers; own spheres are the first of those here, in the order of theirs.
std::vector<int> own_simplices(std::vector<int> corners, const Index dim, const SpheresHere &here)
{
  const Index        n_corners = dim + 1, n = static_cast<Index>(corners.size()) / n_corners;
  std::vector<Index> begin(here.n_own + 1, 0); // of those that begin with a sphere
  for (Index s = 0; s < n; ++s)
    {
      begin_with_lowest(corners.data() + n_corners * s, dim, here);
      if (const int first = corners[n_corners * s]; first < here.n_own)
        ++begin[first + 1];
    }
  std::partial_sum(begin.begin(), begin.end(), begin.begin());
  std::vector<Index> own(begin.back()), next(begin.begin(), begin.end() - 1);
  for (Index s = 0; s < n; ++s)
    if (const int first = corners[n_corners * s]; first < here.n_own)
      own[next[first]++] = s;

  const auto       less = [&](const int i, const int j) { return here.number_of(i) < here.number_of(j); };
  std::vector<int> result(n_corners * own.size());
  for_each_block(here.n_own, [&](Index, const Index first, const Index last) {
    for (Index sphere = first; sphere < last; ++sphere)
      {
        std::sort(own.begin() + begin[sphere], own.begin() + begin[sphere + 1], [&](const Index s, const Index t) {
          const int *const a = corners.data() + n_corners * s, *const b = corners.data() + n_corners * t;
          return std::lexicographical_compare(a + 1, a + n_corners, b + 1, b + n_corners, less);
        });
        for (Index k = begin[sphere]; k < begin[sphere + 1]; ++k)
          std::copy_n(corners.begin() + n_corners * own[k], n_corners, result.begin() + n_corners * k);
      }
  });
  return result;
}

/// Whether a centre may lie beyond a facet of the hull with an own sphere: then a simplex may be missing there that has a
/// sphere of other processes. lower, upper: of all centres.
bool may_go_on(const Triangulation &found, const micro::Spheres &spheres, const SpheresHere &here,
               const Eigen::VectorXd &lower, const Eigen::VectorXd &upper)
{
  const Index dim = found.dim;
  for (auto facet = found.hull.begin(); facet != found.hull.end(); facet += dim)
    {
      if (std::none_of(facet, facet + dim, [&](const int i) { return i < here.n_own; }))
        continue;
      Eigen::Vector3d edges[2] = {Eigen::Vector3d::UnitZ(), Eigen::Vector3d::UnitZ()};
      for (Index k = 1; k < dim; ++k)
        edges[k - 1].head(dim) = spheres.r.col(facet[k]) - spheres.r.col(facet[0]);
      if (dim == 2)
        edges[0](2) = 0.;
      const Eigen::VectorXd normal = edges[0].cross(edges[1]).normalized().head(dim), at = spheres.r.col(facet[0]);
      const double          highest = normal.cwiseProduct(lower - at).cwiseMax(normal.cwiseProduct(upper - at)).sum();
      const double          lowest  = normal.cwiseProduct(lower - at).cwiseMin(normal.cwiseProduct(upper - at)).sum();
      if (!(std::min(highest, -lowest) <= 1e-10 * spheres.R(facet[0]))) // all centres lie on one side
        return true;
    }
  return false;
}
} // namespace

DelaunayMesh delaunay_mesh(const micro::Spheres &spheres, const macro::Domain &domain)
{
  const Index     dim = spheres.dimension();
  DelaunayMesh    mesh{dim, dim == 1 ? segments(spheres) : triangulation(spheres).simplices};
  const Simplices simplices(mesh, spheres, domain);
  const double    least = sliver * simplices.largest();
  keep_simplices(mesh, [&](const Index s) { return simplices.volume(s) > least && simplices.inside[s]; });
  return mesh;
}

PeriodicDelaunayMesh periodic_delaunay_mesh(const micro::Spheres &spheres, const macro::Domain &domain)
{
  const Index  dim    = spheres.dimension();
  const double volume = (domain.upper - domain.lower).prod();
  for (double reach = first_reach(spheres, domain);; reach *= 2.)
    {
      require_sensible_reach(reach, domain);
      PeriodicDelaunayMesh  found{with_images(spheres, domain, reach), {dim, {}}};
      const PeriodicImages &images = found.images;
      DelaunayMesh         &mesh   = found.mesh;
      mesh.corners                 = dim == 1 ? segments(images.spheres) : triangulation(images.spheres).simplices;
      const auto is_first          = [&](const int i, const int j) {
        return std::tie(images.original[i], images.periods[i]) < std::tie(images.original[j], images.periods[j]);
      };
      keep_simplices(mesh, [&](const Index s) {
        const auto begin = mesh.corners.begin() + (dim + 1) * s;
        return *std::min_element(begin, begin + dim + 1, is_first) < spheres.size();
      });
      const Simplices simplices(mesh, images.spheres, domain);
      const double    least = sliver * simplices.largest();
      keep_simplices(mesh, [&](const Index s) { return simplices.volume(s) > least; });
      double filled = 0., farthest = 0.;
      for (Index s = 0; s < mesh.n_simplices(); ++s)
        {
          const Eigen::MatrixXd corners = corners_of_simplex(mesh, images.spheres, s);
          const double          size    = signed_volume(corners);
          filled += size;
          farthest = std::max(farthest, dim == 1 ? size : circumscribed_diameter(corners));
        }
      if (farthest < reach && std::abs(filled - volume) <= 1e-9 * volume)
        return found;
    }
}

std::optional<DelaunayMesh> delaunay_mesh(const Triangulation &found, const micro::Spheres &spheres,
                                          const macro::Domain &domain, const SpheresHere &here,
                                          const geometry::Processes &processes)
{
  const Index              dim = spheres.dimension();
  DelaunayMesh             mesh{dim, own_simplices(found.simplices, dim, here)};
  std::optional<Simplices> simplices;
  geometry::together(processes, [&] { simplices.emplace(mesh, spheres, domain); });
  const double least   = sliver * processes.max(simplices->largest());
  const auto   is_kept = [&](const Index s) { return simplices->volume(s) > least && simplices->inside[s]; };
  if (!here.with_wide)
    {
      Eigen::VectorXd lower(dim), upper(dim);
      for (Index a = 0; a < dim; ++a)
        {
          constexpr double infinity = std::numeric_limits<double>::infinity();
          lower(a) = -processes.max(here.n_own > 0 ? -spheres.r.row(a).head(here.n_own).minCoeff() : -infinity);
          upper(a) = processes.max(here.n_own > 0 ? spheres.r.row(a).head(here.n_own).maxCoeff() : -infinity);
        }
      double farthest = may_go_on(found, spheres, here, lower, upper) ? here.reach : 0.;
      for (Index s = 0; s < mesh.n_simplices(); ++s)
        if (is_kept(s))
          farthest = std::max(farthest, circumscribed_diameter(corners_of_simplex(mesh, spheres, s)));
      if (!(processes.max(farthest) < here.reach))
        return std::nullopt;
    }
  keep_simplices(mesh, is_kept);
  constexpr Index spheres_a_block = 512;
  Index           first           = 0;
  for (Index sphere = 0; sphere < here.n_own; sphere += spheres_a_block)
    {
      while (first < mesh.n_simplices() && mesh.corners[(mesh.dim + 1) * first] < sphere)
        ++first;
      mesh.block_begin.push_back(first);
    }
  mesh.block_begin.push_back(mesh.n_simplices());
  return mesh;
}
} // namespace moreau::homogenization
