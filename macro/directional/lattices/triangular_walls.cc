// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/directional/lattices/triangular_walls.h"

#include "macro/directional/lattices/oblique_walls.h"
#include "macro/saturated_cells.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace moreau::macro
{
namespace
{
constexpr double on_the_wall = 1e-9; // of the spacing

/// The points where a side meets edges and corners of a triangle, as (edge k or corner k, t) with t = 0 for corners.
struct Chord
{
  struct End
  {
    int    k;
    double t;
  };
  std::vector<End>             ends; ///< two, or it is empty
  std::vector<Eigen::Vector2d> x;

  Chord(const Domain &domain, const int side, const Eigen::Matrix<double, 2, 3> &corners)
  {
    const double          edge = (corners.col(1) - corners.col(0)).norm();
    std::array<double, 3> depth;
    for (int k = 0; k < 3; ++k)
      {
        depth[k] = depth_below(domain, side, Eigen::Vector2d(corners.col(k))) / edge;
        if (std::abs(depth[k]) <= on_the_wall)
          depth[k] = 0.;
      }
    for (int k = 0; k < 3; ++k)
      {
        const int next = (k + 1) % 3;
        if (depth[k] == 0.)
          ends.push_back({k, 0.});
        else if (depth[k] * depth[next] < 0.)
          ends.push_back({k, depth[k] / (depth[k] - depth[next])});
        else
          continue;
        x.push_back(corners.col(k) + ends.back().t * (corners.col(next) - corners.col(k)));
      }
    if (ends.size() != 2)
      ends.clear();
  }
};

/// The part of a chord that saturated matter touches.
double touched_part(const Domain &domain, const int side, const Chord &chord)
{
  constexpr int    n       = 32;
  constexpr double inwards = 1e-7;
  Eigen::MatrixXd  x(2, n);
  for (int k = 0; k < n; ++k)
    x.col(k) = chord.x[0] + (k + .5) / n * (chord.x[1] - chord.x[0]) -
               inwards * (chord.x[1] - chord.x[0]).norm() * normal_of_side(side, 2);
  const std::vector<char> inside = saturated_at(domain, x);
  return static_cast<double>(std::count(inside.begin(), inside.end(), 1)) / n;
}
} // namespace

bool touches(const Domain &domain, const int side, const Eigen::Matrix<double, 2, 3> &corners)
{
  const Chord chord(domain, side, corners);
  return !chord.ends.empty() && touched_part(domain, side, chord) > 0.;
}

std::vector<WallCrossing> wall_crossings(const Domain &domain, const TriangularMesh &mesh)
{
  std::vector<WallCrossing> result;
  for (int side = 0; side < 4; ++side)
    {
      if (!mesh.oblique_walls()[side])
        continue;
      const int                                                 along = 1 - side / 2;
      std::map<std::pair<Index, int>, std::pair<Index, double>> found; // site and direction (-1: the site itself)
      const auto add = [&](const Index site, const int k, const double t, const double at, const double other) {
        const auto [entry, is_new] = found.try_emplace({site, t == 0. ? -1 : k}, static_cast<Index>(result.size()), at);
        if (is_new)
          result.push_back({site, t == 0. ? 0 : k, t, side, at, at});
        WallCrossing &crossing = result[entry->second.first];
        crossing.from          = std::min(crossing.from, .5 * (at + other));
        crossing.to            = std::max(crossing.to, .5 * (at + other));
      };
      for (const TriangularMesh::Triangle &triangle : mesh.triangles())
        {
          const Chord chord(domain, side, mesh.corners(triangle));
          if (chord.ends.empty() || touched_part(domain, side, chord) == 0.)
            continue;
          for (int end = 0; end < 2; ++end)
            {
              const auto [k, t] = chord.ends[end];
              const double at = chord.x[end](along), other = chord.x[1 - end](along);
              // edges are named by the site where they begin along e_k; a down triangle runs through them backwards
              if (t == 0.)
                add(mesh.vertex(triangle, k), -1, 0., at, other);
              else
                add(mesh.edge(triangle, k), k, triangle.t == 0 ? t : 1. - t, at, other);
            }
        }
    }
  return result;
}

std::shared_ptr<const convex::SparseConstraint>
with_crossings(const convex::PairConstraint &pairs, const TriangularMesh &mesh, const std::vector<WallCrossing> &crossings)
{
  using Matrix                              = convex::SparseConstraint::Matrix;
  const Matrix                       &first = pairs.matrix();
  std::vector<Eigen::Triplet<double>> entries;
  for (Index row = 0; row < first.rows(); ++row)
    for (Matrix::InnerIterator it(first, row); it; ++it)
      entries.emplace_back(row, it.col(), it.value());
  for (std::size_t c = 0; c < crossings.size(); ++c)
    {
      const WallCrossing   &crossing = crossings[c];
      const Eigen::Vector2d n        = normal_of_side(crossing.side, 2);
      const Index           row = first.rows() + static_cast<Index>(c), a = crossing.side / 2;
      entries.emplace_back(row, 2 * mesh.node(crossing.begin) + a, (1. - crossing.t) * n(a));
      if (crossing.t > 0.)
        entries.emplace_back(row, 2 * mesh.node(crossing.begin + mesh.step(crossing.k)) + a, crossing.t * n(a));
    }
  Matrix B(first.rows() + static_cast<Index>(crossings.size()), first.cols());
  B.setFromTriplets(entries.begin(), entries.end());
  return std::make_shared<convex::SparseConstraint>(std::move(B));
}

WallPressure::WallPressure(std::vector<Part> given, const double spacing) : parts(std::move(given)), spacing(spacing)
{
  std::sort(parts.begin(), parts.end(),
            [](const Part &a, const Part &b) { return std::pair(a.side, a.from) < std::pair(b.side, b.from); });
}

double WallPressure::operator()(const int side, const double along) const
{
  const double low = along - .5 * spacing, high = along + .5 * spacing;
  // parts are no longer than a spacing
  auto   part   = std::lower_bound(parts.begin(), parts.end(), std::pair(side, low - 2. * spacing),
                                   [](const Part &a, const auto &b) { return std::pair(a.side, a.from) < b; });
  double length = 0., impulse = 0.;
  for (; part != parts.end() && part->side == side && part->from < high; ++part)
    if (const double common = std::min(part->to, high) - std::max(part->from, low); common > 0.)
      {
        length += common;
        impulse += std::max(0., part->impulse) * common / (part->to - part->from);
      }
  return length > 0. ? impulse / length : 0.;
}

std::vector<WallPressure::Part> parts_of_walls(const Domain &domain, const TriangularMesh &mesh,
                                               const std::vector<int>          &row_of_wall,
                                               const std::vector<WallCrossing> &crossings, const Vector &p)
{
  std::vector<WallPressure::Part> parts;
  for (Index q = 0; q < mesh.n_nodes(); ++q)
    {
      if (row_of_wall[q] == TriangularMesh::none)
        continue;
      const Index           site = mesh.site(q);
      const Eigen::Vector2d x    = mesh.position(site);
      int                   side = 0;
      while (!domain.walls[side] || mesh.oblique_walls()[side] ||
             std::abs(depth_below(domain, side, x)) > 1e-3 * mesh.spacing())
        ++side;
      // half of each edge of the node that lies on the wall
      const int along = 1 - side / 2;
      double    from = x(along), to = from;
      for (int k = 0; k < 3; ++k)
        for (const bool forward : {true, false})
          if (mesh.on_wall(forward ? site : site - mesh.step(k), k))
            {
              const double middle =
                  .5 * (x(along) + mesh.position(forward ? site + mesh.step(k) : site - mesh.step(k))(along));
              from = std::min(from, middle);
              to   = std::max(to, middle);
            }
      parts.push_back({side, from, to, p(row_of_wall[q])});
    }
  const Index first = p.size() - static_cast<Index>(crossings.size());
  for (std::size_t c = 0; c < crossings.size(); ++c)
    parts.push_back({crossings[c].side, crossings[c].from, crossings[c].to, p(first + static_cast<Index>(c))});
  return parts;
}

Vector tied_pressures(const Eigen::Matrix2Xd &e, const Eigen::Vector2d &n, const double q, const Vector &wanted)
{
  constexpr double      parallel = 1e-9;
  const Eigen::Vector2d tangent(-n(1), n(0));
  const Eigen::Index    K      = e.cols();
  const Vector          normal = e.transpose() * n, traction = normal.cwiseProduct(e.transpose() * tangent);
  std::vector<Vector>   rays; // extreme ones: one direction across the wall, or two on both sides of the normal
  for (Eigen::Index k = 0; k < K; ++k)
    {
      if (std::abs(normal(k)) > parallel && std::abs(traction(k)) <= parallel)
        rays.push_back(Vector::Unit(K, k));
      for (Eigen::Index l = 0; l < k; ++l)
        if (traction(k) * traction(l) < -parallel * parallel)
          rays.push_back(std::abs(traction(l)) * Vector::Unit(K, k) + std::abs(traction(k)) * Vector::Unit(K, l));
    }
  for (Vector &ray : rays)
    ray *= q / ray.dot(normal.cwiseAbs2());
  if (rays.size() < 2)
    return rays.empty() ? Vector(Vector::Zero(K)) : rays[0];
  // of three directions two rays at most
  const Vector across = rays[1] - rays[0];
  const double square = across.squaredNorm();
  const double theta  = square > 0. ? std::clamp(across.dot(wanted - rays[0]) / square, 0., 1.) : 0.;
  return rays[0] + theta * across;
}
} // namespace moreau::macro
