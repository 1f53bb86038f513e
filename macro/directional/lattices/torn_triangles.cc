// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/directional/lattices/torn_triangles.h"

#include "macro/directional/torn_velocity.h"
#include "macro/saturated_cells.h"

#include <array>
#include <cmath>
#include <limits>
#include <set>

namespace moreau::macro
{
namespace
{
using Triangle = TriangularMesh::Triangle;

/// The six triangles around a site, counterclockwise, and the edges before each of them, from that along e_0 on.
struct Star
{
  std::array<Triangle, 6> triangles;
  std::array<int, 6>      corner = {0, 2, 1, 0, 2, 1}; ///< number of the site in each
  std::array<Index, 6>    edges;                       ///< 3 site + k

  Star(const TriangularMesh &mesh, const Index site)
  {
    constexpr int of_edge[] = {0, 2, 1, 0, 2, 1}; // e_0, -e_2, e_1, -e_0, e_2, -e_1
    for (int i = 0; i < 6; ++i)
      {
        const int k  = of_edge[i];
        edges[i]     = 3 * (i % 2 == 0 ? site : site - mesh.step(k)) + k;
        triangles[i] = i % 2 == 0 ? mesh.left_of(site, corner[i]) : mesh.right_of(site, (corner[i] + 2) % 3);
      }
  }
};

/// e_j of the directions that cross an edge along e_k times its component along the normal.
std::vector<Vector> forces_across(const TriangularMesh &mesh, const int k)
{
  const Eigen::Vector2d n(mesh.directions()(1, k), -mesh.directions()(0, k));
  std::vector<Vector>   result;
  for (const int j : {(k + 1) % 3, (k + 2) % 3})
    result.emplace_back(mesh.directions().col(j) * mesh.directions().col(j).dot(n));
  return result;
}

/// U on both sides of edges, at three points each, and behind them at the centres of the triangles.
class SidesOfEdges
{
public:
  SidesOfEdges(const Setting &setting, const TriangularMesh &mesh) : setting(setting), mesh(mesh) {}

  /// Those with a jump among some that are given (3 site + k).
  std::vector<Index> with_jumps(const std::vector<Index> &edges) const
  {
    const auto        n = static_cast<Index>(edges.size());
    std::vector<char> jumps(n, 0);
    for_blocks(n, 256, [&](const Index first, const Index last) {
      Eigen::Matrix2Xd x(2, n_points * (last - first));
      for (Index e = first; e < last; ++e)
        x.middleCols(n_points * (e - first), n_points) = points(edges[e]);
      const std::vector<char> saturated = saturated_at(setting.domain, x);
      Eigen::MatrixXd         U(2, x.cols());
      setting.U(within_box(setting.domain, x), U);
      for (Index e = first; e < last; ++e)
        jumps[e] = is_jump(static_cast<int>(edges[e] % 3), U.middleCols(n_points * (e - first), n_points),
                           saturated.data() + n_points * (e - first));
    });
    std::vector<Index> result;
    for (Index e = 0; e < n; ++e)
      if (jumps[e])
        result.push_back(edges[e]);
    return result;
  }

private:
  static constexpr int    on_edge = 3, n_points = 2 * (on_edge + 1);
  static constexpr double beside = 1e-6; // of the spacing

  /// Left ones first; each side ends with the centre of its triangle.
  Eigen::Matrix<double, 2, n_points> points(const Index edge) const
  {
    const Index                        site = edge / 3;
    const auto                         k    = static_cast<int>(edge % 3);
    const Eigen::Vector2d              e    = mesh.spacing() * mesh.directions().col(k), left(-e(1), e(0));
    Eigen::Matrix<double, 2, n_points> x;
    for (int i = 0; i < on_edge; ++i)
      {
        const Eigen::Vector2d at = mesh.position(site) + (i + .5) / on_edge * e;
        x.col(i)                 = at + beside * left;
        x.col(on_edge + 1 + i)   = at - beside * left;
      }
    x.col(on_edge)      = mesh.corners(mesh.left_of(site, k)).rowwise().mean();
    x.col(n_points - 1) = mesh.corners(mesh.right_of(site, k)).rowwise().mean();
    return x;
  }

  bool is_jump(const int k, const Eigen::Ref<const Eigen::MatrixXd> &U, const char *const saturated) const
  {
    Eigen::Vector2d  jump   = Eigen::Vector2d::Zero();
    double           change = 0.;
    int              n      = 0;
    std::vector<int> both;
    for (int i = 0; i < on_edge; ++i)
      if (saturated[i] && saturated[on_edge + 1 + i])
        {
          jump += U.col(on_edge + 1 + i) - U.col(i);
          both.push_back(i);
          ++n;
        }
    if (n == 0)
      return false;
    jump /= n;
    for (const int i : both)
      for (const int side : {0, on_edge + 1})
        {
          change = std::max(change, (U.col(side + i) - U.col(side + both[0])).norm());
          change = std::max(change, (U.col(side + i) - U.col(side + on_edge)).norm());
        }
    const double rounding = 1e-9 * U.cwiseAbs().maxCoeff();
    return jump.norm() > change + rounding && has_admissible_part(forces_across(mesh, k), jump);
  }

  const Setting        &setting;
  const TriangularMesh &mesh;
};

bool is_at_wall(const TriangularMesh &mesh, const Index site)
{
  const Sides &oblique       = mesh.oblique_walls();
  const bool   cut_by_a_wall = std::count(oblique.begin(), oblique.end(), true) > 0;
  const Star   star(mesh, site);
  for (int i = 0; i < 6; ++i)
    {
      const Triangle &t = star.triangles[i];
      if (mesh.on_wall(star.edges[i] / 3, static_cast<int>(star.edges[i] % 3)) ||
          mesh.place(t.anchor, t.t) == TriangularMesh::Place::behind_wall ||
          cut_by_a_wall && !(mesh.part(t.anchor, t.t) == 1.))
        return true;
    }
  return false;
}

/// Of the triangles on both sides of a torn edge, the corners at its beginning and its end.
struct SidesOfTear
{
  Triangle left, right;
  int      of_left[2], of_right[2];

  SidesOfTear(const TriangularMesh &mesh, const Index edge)
      : left(mesh.left_of(edge / 3, static_cast<int>(edge % 3))), right(mesh.right_of(edge / 3, static_cast<int>(edge % 3)))
  {
    const auto k = static_cast<int>(edge % 3), next = (k + 1) % 3;
    of_left[0] = of_right[1] = k;
    of_left[1] = of_right[0] = next;
  }
};
} // namespace

std::vector<Index> edges_where_U_jumps(const Setting &setting, const TriangularMesh &mesh)
{
  const Sides &walls = setting.domain.walls;
  if (walls[0] && walls[1] || walls[2] && walls[3])
    return {};
  std::vector<Index> inner;
  for (Index q = 0; q < mesh.n_nodes(); ++q)
    for (int k = 0; k < 3; ++k)
      if (mesh.n_triangles_at(mesh.site(q), k) == 2)
        inner.push_back(3 * mesh.site(q) + k);
  std::vector<Index> result = SidesOfEdges(setting, mesh).with_jumps(inner);
  const auto         stays  = [&](const Index edge) {
    return is_at_wall(mesh, edge / 3) || is_at_wall(mesh, edge / 3 + mesh.step(static_cast<int>(edge % 3)));
  };
  result.erase(std::remove_if(result.begin(), result.end(), stays), result.end());
  return result;
}

void TriangularMesh::tear(std::vector<Index> edges)
{
  std::sort(edges.begin(), edges.end());
  of_tears = std::move(edges);
  std::set<Index> ends;
  for (const Index edge : of_tears)
    ends.insert({edge / 3, edge / 3 + E[edge % 3]});
  for (const Index site : ends)
    {
      const Star star(*this, site);
      // sides lie between two edges that are torn or end the zone
      std::array<int, 6> side;
      side.fill(none);
      int        n_sides  = 0;
      const auto is_there = [&](const int i) {
        return place(star.triangles[i].anchor, star.triangles[i].t) == Place::in_zone;
      };
      const auto is_joined = [&](const int i) { // to the one before
        return is_there(i) && is_there((i + 5) % 6) && !is_torn(star.edges[i] / 3, static_cast<int>(star.edges[i] % 3));
      };
      int first = 0;
      while (first < 6 && is_joined(first))
        ++first;
      for (int step = 0; step < 6 && first < 6; ++step)
        if (const int i = (first + step) % 6; is_there(i))
          side[i] = is_joined(i) ? side[(i + 5) % 6] : n_sides++;
      std::vector<int> node_of_side = {nodes[site]};
      for (int s = 1; s < n_sides; ++s)
        {
          node_of_side.push_back(static_cast<int>(sites.size()));
          sites.push_back(site);
        }
      for (int i = 0; i < 6; ++i)
        if (side[i] > 0)
          corners_of_torn[3 * (2 * star.triangles[i].anchor + star.triangles[i].t) + star.corner[i]] = node_of_side[side[i]];
    }
}

bool TriangularMesh::touches_tear(const Index site) const
{
  const Star star(*this, site);
  return std::any_of(star.edges.begin(), star.edges.end(),
                     [&](const Index edge) { return is_torn(edge / 3, static_cast<int>(edge % 3)); });
}

std::vector<std::pair<std::pair<int, int>, int>> TriangularMesh::jumps() const
{
  std::set<std::pair<std::pair<int, int>, int>> found;
  for (const Index edge : of_tears)
    {
      const SidesOfTear sides(*this, edge);
      const auto        k = static_cast<int>(edge % 3);
      for (int end = 0; end < 2; ++end)
        if (const int left = node(sides.left, sides.of_left[end]), right = node(sides.right, sides.of_right[end]);
            left != right)
          {
            found.insert({{right, left}, (k + 1) % 3}); // leads to the left
            found.insert({{left, right}, (k + 2) % 3});
          }
    }
  std::vector<std::pair<std::pair<int, int>, int>> result(found.begin(), found.end());
  return result;
}

void open_torn_edges(const TriangularMesh &mesh, Vector &w)
{
  Eigen::Matrix2Xd outward = Eigen::Matrix2Xd::Zero(2, mesh.n_nodes());
  for (const Index edge : mesh.torn_edges())
    {
      const SidesOfTear     sides(mesh, edge);
      const Eigen::Vector2d e = mesh.directions().col(edge % 3), to_the_left(-e(1), e(0));
      for (int end = 0; end < 2; ++end)
        if (const int left = mesh.node(sides.left, sides.of_left[end]), right = mesh.node(sides.right, sides.of_right[end]);
            left != right)
          {
            outward.col(left) += to_the_left;
            outward.col(right) -= to_the_left;
          }
    }
  for (Index q = 0; q < mesh.n_nodes(); ++q)
    if (const double norm = outward.col(q).norm(); norm > 1e-9)
      w.segment<2>(2 * q) += .05 * mesh.spacing() / norm * outward.col(q);
}

std::optional<std::pair<double, double>> opening(const TriangularMesh &mesh, const Vector &v, const Eigen::Vector2d &x,
                                                 const Eigen::Vector2d &y, const int k)
{
  constexpr double                         least_part = 1e-3; // of the jump
  std::optional<std::pair<double, double>> result;
  const Eigen::Vector2d                    from = mesh.coordinates(x), to = mesh.coordinates(y);
  const Index                              row = mesh.n_sites_per_row();
  // lines along e_0, e_1, e_2 are those where one of these is a whole number
  const auto number = [](const Eigen::Vector2d &s, const int line) {
    return line == 0 ? s(1) : line == 1 ? s(0) + s(1) : s(0);
  };
  for (int line = 0; line < 3; ++line)
    {
      const double a = number(from, line), b = number(to, line);
      if (line == k || std::floor(a) == std::floor(b))
        continue;
      const double          whole = std::floor(std::max(a, b)), t = (whole - a) / (b - a);
      const Eigen::Vector2d at   = from + t * (to - from);
      const auto            low  = [](const double s) { return static_cast<Index>(std::floor(s)); };
      const auto            i    = static_cast<Index>(whole);
      const Index           site = line == 0   ? low(at(0)) + row * i
                                   : line == 1 ? i - low(at(1)) + row * low(at(1))
                                               : i + row * (low(at(1)) + 1);
      if (!mesh.is_torn(site, line))
        continue;
      // of the edge, from its beginning on
      const double      part = line == 0   ? at(0) - std::floor(at(0))
                               : line == 1 ? at(1) - std::floor(at(1))
                                           : std::floor(at(1)) + 1. - at(1);
      const SidesOfTear sides(mesh, 3 * site + line);
      Eigen::Vector2d   jump = Eigen::Vector2d::Zero(); // from left to right
      for (int end = 0; end < 2; ++end)
        jump += (end == 0 ? 1. - part : part) *
                (v.segment<2>(2 * static_cast<Index>(mesh.node(sides.right, sides.of_right[end]))) -
                 v.segment<2>(2 * static_cast<Index>(mesh.node(sides.left, sides.of_left[end]))));
      const double sign = line == (k + 1) % 3 ? 1. : -1.; // e_k leads to the right of e_{k+1}
      if (sign * mesh.directions().col(k).dot(jump) > least_part * jump.norm())
        result = {result ? std::min(result->first, t) : t, result ? std::max(result->second, t) : t};
    }
  return result;
}
} // namespace moreau::macro
