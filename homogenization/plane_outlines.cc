// SPDX-License-Identifier: GPL-3.0-or-later
#include "convex/splitmix.h"
#include "homogenization/outlines.h"
#include "homogenization/plane_triangulation.h"
#include "homogenization/triangulation.h"
#include "homogenization/voronoi.h"

#include <CGAL/Regular_triangulation_2.h>

#include <Eigen/Dense>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace moreau::homogenization
{
namespace
{
using Eigen::Vector2d;
using RegularVertex =
    CGAL::Triangulation_vertex_base_with_info_2<int, PlaneKernel, CGAL::Regular_triangulation_vertex_base_2<PlaneKernel>>;
using PlaneRegular = CGAL::Regular_triangulation_2<
    PlaneKernel, CGAL::Triangulation_data_structure_2<RegularVertex, CGAL::Regular_triangulation_face_base_2<PlaneKernel>>>;

/// The triangulation that is dual to power cells; its edges join cells with a common edge.
PlaneRegular plane_regular(const micro::Spheres &spheres)
{
  std::vector<std::pair<PlaneRegular::Weighted_point, int>> points;
  points.reserve(spheres.size());
  for (Index i = 0; i < spheres.size(); ++i)
    points.emplace_back(
        PlaneRegular::Weighted_point(PlaneKernel::Point_2(spheres.r(0, i), spheres.r(1, i)), spheres.R(i) * spheres.R(i)),
        static_cast<int>(i));
  return PlaneRegular(points.begin(), points.end());
}

/// A convex polygon that half-planes are taken away from; counterclockwise.
class Polygon
{
public:
  struct Vertex
  {
    Vector2d x;
    int      behind; ///< the edge from here to the next vertex
  };

  /// The box, seen from x.
  void start(const macro::Domain &domain, const Vector2d &x)
  {
    const Vector2d lower = domain.lower - x, upper = domain.upper - x;
    const int      box = VoronoiCells::box;
    vertices           = {{lower, box}, {{upper(0), lower(1)}, box}, {upper, box}, {{lower(0), upper(1)}, box}};
  }

  /// Keeps what lies in  normal·x <= offset.
  void clip(const Vector2d &normal, const double offset, const int behind)
  {
    clipped.clear();
    for (std::size_t k = 0; k < vertices.size(); ++k)
      {
        const Vertex &a = vertices[k], &b = vertices[k + 1 < vertices.size() ? k + 1 : 0];
        const double  at_a = normal.dot(a.x) - offset, at_b = normal.dot(b.x) - offset;
        if (at_a <= 0.)
          clipped.push_back(a);
        if (at_a <= 0. && at_b > 0.)
          clipped.push_back({crossing(a.x, b.x, at_a, at_b), behind});
        else if (at_a > 0. && at_b <= 0.)
          clipped.push_back({crossing(a.x, b.x, at_a, at_b), a.behind});
      }
    vertices.swap(clipped);
  }

  /// Shrinks edges below a length to points: where more than three cells of a
  /// lattice meet, rounding decides which of them share an edge.
  void drop_edges(const double length)
  {
    for (std::size_t k = 0; k < vertices.size() && vertices.size() > 2;)
      {
        Vertex &a = vertices[k], &b = vertices[k + 1 < vertices.size() ? k + 1 : 0];
        if ((b.x - a.x).norm() > length)
          ++k;
        else
          {
            b.x = .5 * (a.x + b.x);
            vertices.erase(vertices.begin() + k);
          }
      }
  }

  /// The largest distance of a vertex from the origin.
  double size() const
  {
    double squared = 0.;
    for (const Vertex &vertex : vertices)
      squared = std::max(squared, vertex.x.squaredNorm());
    return std::sqrt(squared);
  }

  std::vector<Vertex> vertices;

private:
  static Vector2d crossing(const Vector2d &a, const Vector2d &b, const double at_a, const double at_b)
  {
    return a + at_a / (at_a - at_b) * (b - a);
  }

  std::vector<Vertex> clipped;
};

/// The cells of spheres 0 ... n-1.
///   neighbours  fills a list with those that a sphere has an edge with; false: it has no cell
///   begins      which of n vertices of the cell of a sphere comes first
template <class Neighbours, class Begins>
Outlines dual_outlines(const Index n, const micro::Spheres &spheres, const macro::Domain &domain,
                       const Neighbours &neighbours, const Begins &begins)
{
  const bool                equal    = equal_radii(spheres);
  const double              rounding = rounding_of_coordinates(domain);
  std::vector<OutlineBlock> blocks(n_blocks(n));
  for_each_block(n, [&](const Index b, const Index first, const Index last) {
    Polygon          polygon;
    std::vector<int> behind;
    for (Index i = first; i < last; ++i)
      {
        if (neighbours(i, behind))
          {
            const Vector2d r = spheres.r.col(i);
            polygon.start(domain, r);
            for (const int j : behind)
              {
                const Vector2d distance = spheres.r.col(j) - r;
                polygon.clip(distance, .5 * (distance.squaredNorm() + power_difference(spheres, equal, i, j)), j);
              }
            polygon.drop_edges(1e-12 * polygon.size() + rounding);
            const std::size_t n_vertices = polygon.vertices.size(), start = n_vertices > 0 ? begins(i, n_vertices) : 0;
            for (std::size_t k = 0; k < n_vertices; ++k)
              {
                const Polygon::Vertex &vertex = polygon.vertices[(start + k) % n_vertices];
                blocks[b].vertices.push_back(r(0) + vertex.x(0));
                blocks[b].vertices.push_back(r(1) + vertex.x(1));
                blocks[b].behind_face.push_back(vertex.behind);
              }
          }
        blocks[b].close_cell(/*dim=*/2);
      }
  });
  Outlines all = joined(/*dim=*/2, blocks);
  all.words    = equal ? "Voronoi cells" : "power cells";
  return all;
}

template <class Dual>
Outlines outlines_of_first(const Dual &dual, const Index n, const micro::Spheres &spheres, const macro::Domain &domain)
{
  std::vector<typename Dual::Vertex_handle> vertex_of(spheres.size());
  for (auto v = dual.finite_vertices_begin(); v != dual.finite_vertices_end(); ++v)
    vertex_of[v->info()] = v;
  const auto neighbours = [&](const Index i, std::vector<int> &behind) {
    behind.clear();
    if (vertex_of[i] == nullptr) // hidden by others
      return false;
    const auto start = dual.incident_vertices(vertex_of[i]);
    if (auto neighbour = start; neighbour != nullptr)
      do
        if (!dual.is_infinite(neighbour))
          behind.push_back(neighbour->info());
      while (++neighbour != start);
    return true;
  };
  return dual_outlines(n, spheres, domain, neighbours, [](Index, std::size_t) { return 0; });
}

/// For each of the spheres 0 ... n-1 those that an edge joins with it.
struct Edges
{
  std::vector<Index> begin;
  std::vector<int>   to;

  Edges(const Triangulation &found, const Index n) : begin(n + 1, 0)
  {
    // around a sphere the next corner of each triangle, and where the hull ends the round, the last one
    for_each(found, n, [&](const int i, int) { ++begin[i + 1]; });
    std::partial_sum(begin.begin(), begin.end(), begin.begin());
    to.resize(begin.back());
    std::vector<Index> next(begin.begin(), begin.end() - 1);
    for_each(found, n, [&](const int i, const int j) { to[next[i]++] = j; });
  }

private:
  template <class F>
  static void for_each(const Triangulation &found, const Index n, const F &f)
  {
    const auto edge = [&](const int i, const int j) {
      if (i < n)
        f(i, j);
    };
    for (auto corner = found.simplices.begin(); corner != found.simplices.end(); corner += 3)
      for (int k = 0; k < 3; ++k)
        edge(corner[k], corner[(k + 1) % 3]);
    for (auto corner = found.hull.begin(); corner != found.hull.end(); corner += 2)
      edge(corner[1], corner[0]);
  }
};
} // namespace

Outlines plane_outlines(const micro::Spheres &spheres, const Index n, const macro::Domain &domain)
{
  if (equal_radii(spheres))
    return outlines_of_first(plane_delaunay(spheres), n, spheres, domain);
  return outlines_of_first(plane_regular(spheres), n, spheres, domain);
}

Outlines plane_outlines_of_part(const micro::Spheres &spheres, const Triangulation &found, const macro::Domain &domain,
                                const SpheresHere &here)
{
  if (here.n_own == 0)
    return allocated(/*dim=*/2, {});
  const Edges edges(found, here.n_own);
  // seen from i, in the order of angles, from that of the x axis on
  const auto neighbours = [&](const Index i, std::vector<int> &behind) {
    behind.assign(edges.to.begin() + edges.begin[i], edges.to.begin() + edges.begin[i + 1]);
    std::sort(behind.begin(), behind.end(), [&](const int j, const int k) {
      const Vector2d to_j = spheres.r.col(j) - spheres.r.col(i), to_k = spheres.r.col(k) - spheres.r.col(i);
      const auto     is_below = [](const Vector2d &x) { return x(1) < 0. || (x(1) == 0. && x(0) < 0.); };
      return is_below(to_j) != is_below(to_k) ? is_below(to_k) : to_j(0) * to_k(1) - to_j(1) * to_k(0) > 0.;
    });
    return !behind.empty();
  };
  return dual_outlines(here.n_own, spheres, domain, neighbours, [&](const Index i, const std::size_t n_vertices) {
    return convex::mixed(here.number_of(i)) % n_vertices;
  });
}
} // namespace moreau::homogenization
