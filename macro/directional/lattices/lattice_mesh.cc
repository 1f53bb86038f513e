// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/directional/lattices/lattice_mesh.h"

#include "convex/input_error.h"
#include "macro/directional/lattices/aligned_grid.h"
#include "macro/directional/simplex_mesh.h"
#include "macro/directional/lattices/triangular_walls.h"
#include "macro/saturated_cells.h"
#include "macro/total_bound.h"

#include <Eigen/LU>
#include <tbb/parallel_for.h>

#include <atomic>
#include <algorithm>
#include <cmath>
#include <limits>

namespace moreau::macro
{
namespace
{
constexpr Index  triangles_at_a_time = 1024; // whatever the number of threads
constexpr double lattice_rounding    = 1e-6; // of the spacing

/// Barycentric coordinates on the triangle of kind t of a point with these coordinates along e_0 and -e_2 from its anchor.
Eigen::Vector3d barycentric_of(const Eigen::Vector2d &s, const int t)
{
  return t == 0 ? Eigen::Vector3d(1. - s(0) - s(1), s(0), s(1)) : Eigen::Vector3d(s(0) + s(1) - 1., 1. - s(0), 1. - s(1));
}

/// The nearest point of an equilateral triangle, where |x - y|² = d²/2 |λ - μ|²: what is negative becomes 0 and the
/// others make up for it equally.
Eigen::Vector3d clamped(Eigen::Vector3d barycentric)
{
  while (barycentric.minCoeff() < 0.)
    {
      const Eigen::Array3d positive = (barycentric.array() > 0.).cast<double>();
      barycentric                   = barycentric.cwiseMax(0.);
      barycentric -= ((barycentric.sum() - 1.) / positive.sum() * positive).matrix();
    }
  return barycentric;
}

/// Signed normal of a side of the box: -1 or +1 along its axis.
double sign_of(const int side) { return side % 2 ? 1. : -1.; }
} // namespace

TriangularMesh::TriangularMesh(const Setting &setting, const Progress &progress)
    : d(1. / setting.mesh.cells_per_unit_length), e(setting.cone.directions)
{
  find_lines_of_walls(setting);
  // lattice coordinates of the corners of the box, along e_0 and -e_2
  const Eigen::Vector2d extent = setting.domain.upper - setting.domain.lower;
  Eigen::Matrix2d       basis;
  basis << d * e.col(0), -d * e.col(2);
  to_lattice          = basis.inverse();
  Eigen::Vector2d low = Eigen::Vector2d::Zero(), high = low;
  for (int corner = 0; corner < 4; ++corner)
    {
      const Eigen::Vector2d s = to_lattice * Eigen::Vector2d(corner & 1 ? extent(0) : 0., corner & 2 ? extent(1) : 0.);
      low                     = low.cwiseMin(s);
      high                    = high.cwiseMax(s);
    }
  constexpr double      margin = 2.; // so that all neighbours of a site of the zone exist
  const Eigen::Vector2d first  = (low.array() + lattice_rounding).floor() - margin;
  const Eigen::Vector2d size   = (high.array() - lattice_rounding).ceil() + margin + 1. - first.array();
  if (!(size(0) * size(1) < .25 * std::numeric_limits<int>::max()))
    throw InputError("the cells per unit length", "The lattice would have more than 5e8 sites; give a smaller number.");
  n_i    = static_cast<Index>(size(0));
  n_j    = static_cast<Index>(size(1));
  origin = setting.domain.lower + basis * first;

  const Index steps[3] = {1, n_i - 1, -n_i}, ups[3] = {0, 1, n_i}, downs[3] = {n_i + 1, n_i, 1};
  std::copy(steps, steps + 3, E);
  std::copy(ups, ups + 3, up);
  std::copy(downs, downs + 3, down);
  find_zone(setting, progress);
  number_nodes();
}

Eigen::Vector2d TriangularMesh::position(const Index site) const
{
  return origin + d * (static_cast<double>(site % n_i) * e.col(0) - static_cast<double>(site / n_i) * e.col(2));
}

void TriangularMesh::find_lines_of_walls(const Setting &setting)
{
  const double height = std::sqrt(.75) * d; // between lines of the lattice
  for (int side = 0; side < 4; ++side)
    {
      if (!setting.domain.walls[side])
        continue;
      const int    axis  = side / 2;
      const double lines = side % 2 == 0 ? 0. : (setting.domain.upper(axis) - setting.domain.lower(axis)) / height;
      const bool   is_line =
          e.row(axis).cwiseAbs().minCoeff() <= 1e-12 && std::abs(lines - std::round(lines)) <= .1 * lattice_rounding;
      (is_line ? walls : oblique)[side] = true;
    }
}

void TriangularMesh::find_zone(const Setting &setting, const Progress &progress)
{
  // corners, points on edges and within tell whether the boundary cuts the triangle; all a little inside, where rounding
  // does not matter
  constexpr int         on_edges = 8; // parts of an edge
  const Rule            rule     = simplex_rule(2);
  const Eigen::Vector3d centre   = Eigen::Vector3d::Constant(1. / 3.);
  Eigen::MatrixXd       samples(3, 1 + 3 * on_edges + rule.size());
  samples.col(0) = centre;
  for (int k = 0; k < 3 * on_edges; ++k)
    {
      const double          s = static_cast<double>(k % on_edges) / on_edges;
      const Eigen::Vector3d point =
          (1. - s) * Eigen::Vector3d::Unit(k / on_edges) + s * Eigen::Vector3d::Unit((k / on_edges + 1) % 3);
      samples.col(1 + k) = point + lattice_rounding * (centre - point);
    }
  samples.rightCols(rule.size()) = rule.points;

  const Index n = n_i * n_j;
  nodes.assign(n, none);
  places.assign(2 * n, Place::outside);
  parts.assign(2 * n, 0.f);
  std::vector<std::vector<Triangle>> may_be_cut(n_j);
  Steps                              rows(progress, n_j - 1);
  tbb::parallel_for(Index(0), n_j - 1, [&](const Index j) {
    Eigen::MatrixXd x(2, 2 * (n_i - 1) * samples.cols());
    Index           column = 0;
    for (Index i = 0; i + 1 < n_i; ++i)
      for (int t = 0; t < 2; ++t)
        {
          x.middleCols(column, samples.cols()) = corners({i + n_i * j, t}) * samples;
          column += samples.cols();
        }
    const std::vector<char> saturated = saturated_at(setting.domain, x);
    for (Index k = 0; k < 2 * (n_i - 1); ++k)
      {
        const char *const of_triangle = saturated.data() + k * samples.cols();
        const Index       all = std::count(of_triangle, of_triangle + samples.cols(), 1), at = 2 * n_i * j + k;
        for (int side = 0; side < 4; ++side)
          if (walls[side])
            {
              const double x_side = (side % 2 ? setting.domain.upper : setting.domain.lower)(side / 2);
              if (sign_of(side) * (x(side / 2, k * samples.cols()) - x_side) > 0.)
                places[at] = Place::behind_wall;
            }
        if (places[at] == Place::behind_wall)
          continue;
        if (all == samples.cols())
          {
            places[at] = Place::in_zone;
            parts[at]  = 1.f;
          }
        else if (all > 0)
          may_be_cut[j].push_back({at / 2, static_cast<int>(at % 2)});
      }
    rows.done();
  });
  std::vector<Triangle> candidates;
  for (const std::vector<Triangle> &of_row : may_be_cut)
    candidates.insert(candidates.end(), of_row.begin(), of_row.end());
  cut_zone(setting, candidates);
  if (cut.empty() && slivers.empty())
    look_between_samples(setting.domain);
}

void TriangularMesh::look_between_samples(const Domain &domain)
{
  std::atomic<bool> found = false;
  tbb::parallel_for(Index(0), n_sites() / n_i - 1, [&](const Index j) {
    Eigen::MatrixXd x(2, 6 * (n_i - 1));
    for (Index k = 0; k < 2 * (n_i - 1); ++k)
      x.middleCols<3>(3 * k) = corners({k / 2 + n_i * j, static_cast<int>(k % 2)});
    if (may_be_cut(domain, x, 3))
      found = true;
  });
  is_seen = !found;
}

void TriangularMesh::cut_zone(const Setting &setting, const std::vector<Triangle> &candidates)
{
  constexpr double               sliver = 1e-2, sliver_at_wall = 1e-8;
  const std::vector<CutTriangle> found = cut_triangles(setting, corners_of(candidates));
  for (std::size_t k = 0; k < found.size(); ++k)
    {
      const Index  at        = 2 * candidates[k].anchor + candidates[k].t;
      const double saturated = found[k].mass.sum() / area();
      of_area += found[k].error;
      bool at_wall = false;
      for (int side = 0; side < 4; ++side)
        at_wall = at_wall || oblique[side] && saturated <= sliver && touches(setting.domain, side, corners(candidates[k]));
      if (saturated <= (at_wall ? sliver_at_wall : sliver))
        {
          of_area += found[k].mass.sum();
          if (saturated > 0.)
            slivers.emplace_back(corners(candidates[k]) * found[k].mass / found[k].mass.sum(), found[k].mass.sum());
          continue;
        }
      places[at] = Place::in_zone;
      parts[at]  = found[k].cut ? std::min(static_cast<float>(saturated), 1.f - 1e-6f) : 1.f;
      if (found[k].cut)
        cut[at] = found[k];
    }
}

std::vector<Eigen::Matrix<double, 2, 3>> TriangularMesh::corners_of(const std::vector<Triangle> &triangles) const
{
  std::vector<Eigen::Matrix<double, 2, 3>> x;
  x.reserve(triangles.size());
  for (const Triangle &triangle : triangles)
    x.push_back(corners(triangle));
  return x;
}

void TriangularMesh::number_nodes()
{
  in_zone.clear();
  sites.clear();
  n_whole = 0;
  nodes.assign(n_sites(), none);
  for (Index anchor = 0; anchor < n_sites(); ++anchor)
    for (int t = 0; t < 2; ++t)
      if (place(anchor, t) == Place::in_zone)
        {
          in_zone.push_back({anchor, t});
          n_whole += is_whole(in_zone.back());
          for (int k = 0; k < 3; ++k)
            nodes[vertex(in_zone.back(), k)] = 0;
        }
  for (Index site = 0; site < n_sites(); ++site)
    if (nodes[site] != none)
      {
        nodes[site] = static_cast<int>(sites.size());
        sites.push_back(site);
      }
}

Eigen::Matrix<double, 2, 3> TriangularMesh::corners(const Triangle &triangle) const
{
  Eigen::Matrix<double, 2, 3> x;
  for (int k = 0; k < 3; ++k)
    x.col(k) = position(vertex(triangle, k));
  return x;
}

/// The parallelogram between sites that x lies in, and where: in [0,1)². False beyond all of them.
bool TriangularMesh::locate(const Eigen::Vector2d &x, Index &i, Index &j, Eigen::Vector2d &local) const
{
  const Eigen::Vector2d s = to_lattice * (x - origin);
  if (!(s(0) >= 0. && s(1) >= 0. && s(0) + 1. < static_cast<double>(n_i) && s(1) + 1. < static_cast<double>(n_j)))
    return false;
  i     = static_cast<Index>(s(0));
  j     = static_cast<Index>(s(1));
  local = s - Eigen::Vector2d(static_cast<double>(i), static_cast<double>(j));
  return true;
}

bool TriangularMesh::containing(const Eigen::Vector2d &x, Triangle &triangle, Eigen::Vector3d &barycentric) const
{
  Index           i = 0, j = 0;
  Eigen::Vector2d local;
  if (!locate(x, i, j, local))
    return false;
  triangle    = {i + n_i * j, local.sum() < 1. ? 0 : 1};
  barycentric = barycentric_of(local, triangle.t);
  return place(triangle.anchor, triangle.t) == Place::in_zone;
}

double TriangularMesh::nearest(const Eigen::Vector2d &x, Triangle &triangle, Eigen::Vector3d &barycentric) const
{
  constexpr Index around = 2; // parallelograms
  double          least  = std::numeric_limits<double>::infinity();
  if (containing(x, triangle, barycentric))
    return 0.;
  Index           i = 0, j = 0;
  Eigen::Vector2d local;
  if (!locate(x, i, j, local))
    return least;
  for (Index dj = std::max(-around, -j); dj <= std::min(around, n_j - 2 - j); ++dj)
    for (Index di = std::max(-around, -i); di <= std::min(around, n_i - 2 - i); ++di)
      for (int t = 0; t < 2; ++t)
        {
          const Index anchor = i + di + n_i * (j + dj);
          if (place(anchor, t) != Place::in_zone)
            continue;
          const Eigen::Vector3d at =
              barycentric_of(local - Eigen::Vector2d(static_cast<double>(di), static_cast<double>(dj)), t);
          const Eigen::Vector3d within   = clamped(at);
          const double          distance = std::sqrt(.5) * d * (at - within).norm();
          if (distance < least)
            {
              least       = distance;
              triangle    = {anchor, t};
              barycentric = within;
            }
        }
  return least;
}

Vector TriangularMesh::masses() const
{
  if (!zone_is_triangles())
    {
      Vector m = Vector::Zero(n_nodes());
      for (const Triangle &triangle : in_zone)
        for (int k = 0; k < 3; ++k)
          m(node(triangle, k)) += is_whole(triangle) ? area() / 3. : cut_triangle(triangle).mass(k);
      return m;
    }
  std::vector<int> around(n_nodes(), 0);
  for (const Triangle &triangle : in_zone)
    for (int k = 0; k < 3; ++k)
      ++around[node(triangle, k)];
  Vector m(n_nodes());
  for (Index q = 0; q < m.size(); ++q)
    {
      m(q) = around[q] / 3. * area();
      if (around[q] > 2 || !of_tears.empty() && touches_tear(site(q)))
        continue;
      bool straight = true; // both sides go on beyond this corner
      for (int k = 0; k < 3; ++k)
        for (const bool forward : {true, false})
          {
            const Index begin = forward ? site(q) : site(q) - E[k], other = forward ? site(q) + E[k] : begin;
            straight = straight && (n_triangles_at(begin, k) != 1 || around[node(other)] <= 3);
          }
      if (straight)
        m(q) = .5 * area();
    }
  return m;
}

void TriangularMesh::points(const Index first, const Index last, const Eigen::MatrixXd &barycentric,
                            Eigen::MatrixXd &x) const
{
  x.resize(2, (last - first) * barycentric.cols());
  for (Index k = first; k < last; ++k)
    x.middleCols((k - first) * barycentric.cols(), barycentric.cols()).noalias() = corners(in_zone[k]) * barycentric;
}

Vector TriangularMesh::nodal_values(const Setting &setting, const Progress &progress) const
{
  std::vector<Index> whole;
  for (Index k = 0; k < static_cast<Index>(in_zone.size()); ++k)
    if (is_whole(in_zone[k]))
      whole.push_back(k);
  const Rule  rule = simplex_rule(2);
  const Index n    = static_cast<Index>(whole.size());
  // ψ times weight, by point and vertex; ∫_T ψ = |T|/3
  const Eigen::MatrixXd psi = area() * rule.weights.asDiagonal() * (4. * rule.points.transpose().array() - 1.).matrix();
  // what is not linear: there U may jump
  const Eigen::MatrixXd linear = rule.points.transpose();
  const Eigen::MatrixXd rest   = Eigen::MatrixXd::Identity(rule.size(), rule.size()) -
                               linear * (linear.transpose() * linear).inverse() * linear.transpose();
  Eigen::MatrixXd   of_triangle(2, 3 * n);
  std::vector<char> may_jump(n, 0);
  const auto        in_block = [&](const Index first, const Index last) {
    Eigen::MatrixXd x(2, (last - first) * rule.size()), values(2, x.cols());
    for (Index k = first; k < last; ++k)
      x.middleCols((k - first) * rule.size(), rule.size()).noalias() = corners(in_zone[whole[k]]) * rule.points;
    setting.U(x, values);
    for (Index k = first; k < last; ++k)
      {
        const auto            at_points            = values.middleCols((k - first) * rule.size(), rule.size());
        const Eigen::Vector2d mean                 = at_points * rule.weights;
        const auto            about                = at_points.colwise() - mean;
        of_triangle.middleCols(3 * k, 3).noalias() = at_points * psi;
        may_jump[k] = (about * rest).cwiseAbs().maxCoeff() > .1 * about.cwiseAbs().maxCoeff();
      }
  };
  for_blocks(n, triangles_at_a_time, in_block, progress);

  Eigen::Matrix2Xd sum    = Eigen::Matrix2Xd::Zero(2, n_nodes());
  Vector           volume = Vector::Zero(n_nodes());
  const auto       add    = [&](const Triangle &triangle, const auto &momentum, const Eigen::Vector3d &mass) {
    for (int c = 0; c < 3; ++c)
      {
        const int q = node(triangle, c);
        sum.col(q) += momentum.col(c);
        volume(q) += mass(c);
      }
  };
  std::vector<Triangle> rough;
  for (Index k = 0; k < n; ++k)
    if (may_jump[k])
      rough.push_back(in_zone[whole[k]]);
  const std::vector<CutTriangle> jumps = cut_triangles(setting, corners_of(rough));
  for (Index k = 0, r = 0; k < n; ++k)
    if (may_jump[k])
      {
        add(in_zone[whole[k]], jumps[r].momentum, jumps[r].mass);
        ++r;
      }
    else
      add(in_zone[whole[k]], of_triangle.middleCols(3 * k, 3), Eigen::Vector3d::Constant(area() / 3.));
  for (const Triangle &triangle : in_zone)
    if (!is_whole(triangle))
      {
        const CutTriangle &part = cut_triangle(triangle);
        add(triangle, part.momentum, part.mass);
      }
  sum.array().rowwise() /= volume.transpose().array();
  return Eigen::Map<const Vector>(sum.data(), sum.size());
}

std::shared_ptr<const convex::PairConstraint> TriangularMesh::constraint(std::vector<int> &row_of_edge,
                                                                         std::vector<int> &row_of_wall) const
{
  std::vector<convex::PairConstraint::Pair> pairs;
  std::vector<Eigen::Vector2d>              directions;
  row_of_edge.assign(3 * n_sites(), none);
  row_of_wall.assign(n_nodes(), none);
  for (int k = 0; k < 3; ++k)
    for (Index q = 0; q < n_nodes(); ++q)
      if (node(site(q)) == q && n_triangles_at(site(q), k) > 0) // each site once
        {
          row_of_edge[3 * site(q) + k] = static_cast<int>(pairs.size());
          const bool torn              = is_torn(site(q), k);
          for (const bool left : {true, false})
            if (left ? torn || place_at(site(q), k, 0) == Place::in_zone : torn || place_at(site(q), k, 0) != Place::in_zone)
              {
                const Triangle beside = left ? left_of(site(q), k) : right_of(site(q), k);
                const int      from = left ? k : (k + 1) % 3, to = left ? (k + 1) % 3 : k;
                pairs.push_back({node(beside, from), node(beside, to)});
                directions.push_back(e.col(k));
              }
        }
  for (int k = 0; k < 3; ++k)
    for (Index q = 0; q < n_nodes(); ++q)
      if (on_wall(site(q), k))
        {
          // the wall lies to the right of e_k where the zone lies to its left
          const bool      left   = place_at(site(q), k, 0) == Place::in_zone;
          Eigen::Vector2d normal = left ? Eigen::Vector2d(e(1, k), -e(0, k)) : Eigen::Vector2d(-e(1, k), e(0, k));
          normal                 = normal.array().round(); // a side of the box
          for (const int end : {static_cast<int>(q), node(site(q) + E[k])})
            if (row_of_wall[end] == none)
              {
                row_of_wall[end] = static_cast<int>(pairs.size());
                pairs.push_back({end, convex::PairConstraint::fixed_body});
                directions.push_back(normal);
              }
        }
  for (const auto &[pair, k] : jumps())
    {
      pairs.push_back({pair.first, pair.second});
      directions.push_back(e.col(k));
    }
  Eigen::MatrixXd columns(2, directions.size());
  for (std::size_t c = 0; c < directions.size(); ++c)
    columns.col(c) = directions[c];
  return std::make_shared<convex::PairConstraint>(2, n_nodes(), std::move(pairs), std::move(columns));
}
} // namespace moreau::macro
