// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/directional/lattice_lines.h"

#include "convex/solvers/isotonic_regression.h"
#include "macro/saturated_cells.h"

#include <Eigen/LU>

#include <algorithm>
#include <cmath>

namespace moreau::macro
{
namespace
{
constexpr int   parts_of_edge       = 3;
constexpr Index runs_at_a_time      = 64;
constexpr Index steps_of_parts[][2] = {{1, 0}, {-1, 1}, {0, -1}}; // along e_k, in coordinates along e_0 and -e_2

std::vector<char> saturated_in_blocks(const Domain &domain, const Eigen::Matrix2Xd &x)
{
  constexpr Index   at_a_time = 8192;
  std::vector<char> result(x.cols());
  for_blocks(x.cols(), at_a_time, [&](const Index first, const Index last) {
    const std::vector<char> block = saturated_at(domain, x.middleCols(first, last - first));
    std::copy(block.begin(), block.end(), result.begin() + first);
  });
  return result;
}
} // namespace

LatticeLines::LatticeLines(const Setting &setting, const TriangularMesh &mesh, const std::vector<int> &row_of_edge,
                           const Vector &p)
    : setting(setting)
    , mesh(mesh)
    , spacing(mesh.spacing() / parts_of_edge)
    , n_i(parts_of_edge * mesh.n_sites_per_row())
    , n_j(parts_of_edge * (mesh.n_sites() / mesh.n_sites_per_row()))
{
  find_points();
  u_p = U;
  for (int k = 0; k < 3; ++k)
    {
      find_lines(k);
      find_ends(k);
      start(k, row_of_edge, p);
    }
}

/// Saturated centres of the parts of triangles of the zone, with U and weights that add up to the part of each triangle.
void LatticeLines::find_points()
{
  const auto            n = static_cast<Index>(mesh.triangles().size());
  std::vector<Index>    places;
  std::vector<int>      of_triangle;
  Eigen::Matrix2Xd      all(2, parts_of_edge * parts_of_edge * n);
  const Eigen::Vector2d a = mesh.spacing() * mesh.directions().col(0), b = -mesh.spacing() * mesh.directions().col(2);
  for (Index q = 0; q < n; ++q)
    {
      const TriangularMesh::Triangle &t     = mesh.triangles()[q];
      const Index                     row   = mesh.n_sites_per_row();
      const Eigen::Vector2d           first = mesh.position(t.anchor);
      for (Index j = 0; j < parts_of_edge; ++j)
        for (Index i = 0; i < parts_of_edge; ++i)
          for (const int kind : {0, 1})
            {
              const double    off = kind == 0 ? 1. / 3. : 2. / 3.;
              Eigen::Vector2d s((static_cast<double>(i) + off) / parts_of_edge,
                                (static_cast<double>(j) + off) / parts_of_edge);
              if ((s.sum() < 1.) != (t.t == 0))
                continue;
              all.col(static_cast<Index>(places.size())) = first + s(0) * a + s(1) * b;
              places.push_back(place(parts_of_edge * (t.anchor % row) + i, parts_of_edge * (t.anchor / row) + j, kind));
              of_triangle.push_back(static_cast<int>(q));
            }
    }
  const std::vector<char> saturated = saturated_in_blocks(setting.domain, all);
  point_at.assign(2 * n_i * n_j, TriangularMesh::none);
  std::vector<int> n_points(n, 0);
  for (std::size_t k = 0; k < places.size(); ++k)
    if (saturated[k])
      {
        all.col(static_cast<Index>(place_of.size())) = all.col(static_cast<Index>(k));
        point_at[places[k]]                          = static_cast<int>(place_of.size());
        place_of.push_back(places[k]);
        triangle.push_back(of_triangle[k]);
        ++n_points[of_triangle[k]];
      }
  const auto n_found = static_cast<Index>(place_of.size());
  x                  = all.leftCols(n_found);
  U.resize(2, n_found);
  weight.resize(n_found);
  for_blocks(n_found, 8192, [&](const Index first, const Index last) {
    Eigen::MatrixXd values(2, last - first);
    setting.U(within_box(setting.domain, x.middleCols(first, last - first)), values);
    U.middleCols(first, last - first) = values;
    for (Index q = first; q < last; ++q)
      {
        const TriangularMesh::Triangle &t = mesh.triangles()[triangle[q]];
        weight(q)                         = mesh.area() * mesh.part(t.anchor, t.t) / n_points[triangle[q]];
      }
  });
}

/// Runs of points along e_k between which the zone does not end.
void LatticeLines::find_lines(const int k)
{
  const Index      step = 2 * (steps_of_parts[k][0] + n_i * steps_of_parts[k][1]), n = static_cast<Index>(place_of.size());
  const auto       is_whole = [&](const int q) { return mesh.is_whole(mesh.triangles()[triangle[q]]); };
  std::vector<int> next(n, TriangularMesh::none), previous = next, doubtful;
  for (int q = 0; q < n; ++q)
    if (const Index at = place_of[q] + step; at >= 0 && at < static_cast<Index>(point_at.size()) && point_at[at] >= 0)
      {
        next[q] = point_at[at];
        if (!is_whole(q) || !is_whole(next[q]))
          doubtful.push_back(q);
      }
  Eigen::Matrix2Xd middles(2, doubtful.size());
  for (std::size_t d = 0; d < doubtful.size(); ++d)
    middles.col(static_cast<Index>(d)) = .5 * (x.col(doubtful[d]) + x.col(next[doubtful[d]]));
  const std::vector<char> saturated = saturated_in_blocks(setting.domain, middles);
  for (std::size_t d = 0; d < doubtful.size(); ++d)
    if (!saturated[d])
      next[doubtful[d]] = TriangularMesh::none;
  for (int q = 0; q < n; ++q)
    if (next[q] >= 0)
      previous[next[q]] = q;

  Family &family = families[k];
  family.run_start.push_back(0);
  for (int first = 0; first < n; ++first)
    if (previous[first] < 0)
      {
        for (int q = first; q >= 0; q = next[q])
          family.point.push_back(q);
        family.run_start.push_back(static_cast<int>(family.point.size()));
      }
}

/// How far the pieces reach; those at ends up to the boundary of the zone, by bisection.
void LatticeLines::find_ends(const int k)
{
  Family          &family = families[k];
  const Index      n      = family.n_runs();
  Eigen::Matrix2Xd from(2, 2 * n);
  for (Index r = 0; r < n; ++r)
    {
      from.col(2 * r)     = x.col(family.point[family.run_start[r]]);
      from.col(2 * r + 1) = x.col(family.point[family.run_start[r + 1] - 1]);
    }
  const auto at = [&](const Vector &distance) {
    Eigen::Matrix2Xd points = from;
    for (Index end = 0; end < 2 * n; ++end)
      points.col(end) += (end % 2 == 0 ? -1. : 1.) * distance(end) * mesh.directions().col(k);
    return saturated_in_blocks(setting.domain, points);
  };
  Vector low = Vector::Zero(2 * n), high = Vector::Constant(2 * n, spacing);
  // beyond the next point lies what is left out, or a gap that the middle has seen
  const std::vector<char> beyond = at(high);
  for (Index end = 0; end < 2 * n; ++end)
    if (beyond[end])
      high(end) = .5 * spacing;
  for (int halving = 0; halving < 30; ++halving)
    {
      const Vector            middle = .5 * (low + high);
      const std::vector<char> inside = at(middle);
      for (Index end = 0; end < 2 * n; ++end)
        (inside[end] ? low : high)(end) = middle(end);
    }
  family.before.assign(family.point.size(), .5 * spacing);
  family.behind = family.before;
  for (Index r = 0; r < n; ++r)
    {
      family.before[family.run_start[r]]         = std::max(low(2 * r), 1e-9 * spacing);
      family.behind[family.run_start[r + 1] - 1] = std::max(low(2 * r + 1), 1e-9 * spacing);
    }
}

/// p_k at a point from the multipliers of the edges along e_k: linear between their middles, and across between lines.
double LatticeLines::interpolated(const Eigen::Vector2d &at, const int k, const std::vector<int> &row_of_edge,
                                  const Vector &p) const
{
  const auto of_edge = [&](const Index begin) {
    const int row = row_of_edge[3 * begin + k];
    return row == TriangularMesh::none ? 0.
                                       : std::max(0., p(row)) * mesh.spacing() / (mesh.area() * mesh.parts_at(begin, k));
  };
  TriangularMesh::Triangle in;
  Eigen::Vector3d          l;
  if (!mesh.containing(at, in, l))
    return 0.;
  const Index  begin = mesh.edge(in, k), apex = mesh.vertex(in, (k + 2) % 3), E = mesh.step(k);
  const double along = (in.t == 0 ? .5 : -.5) * (l((k + 1) % 3) - l(k));
  const double base =
      (1. - std::abs(along)) * of_edge(begin) + std::abs(along) * of_edge(along > 0. ? begin + E : begin - E);
  const double top = (.5 - along) * of_edge(apex - E) + (.5 + along) * of_edge(apex);
  return (1. - l((k + 2) % 3)) * base + l((k + 2) % 3) * top;
}

void LatticeLines::start(const int k, const std::vector<int> &row_of_edge, const Vector &p)
{
  Family               &family = families[k];
  const Eigen::Vector2d e      = mesh.directions().col(k);
  family.slope.assign(family.point.size(), 0.);
  for_blocks(family.n_runs(), runs_at_a_time, [&](const Index first, const Index last) {
    for (Index r = first; r < last; ++r)
      {
        double before = 0.;
        for (int l = family.run_start[r]; l < family.run_start[r + 1]; ++l)
          {
            const bool   ends   = l + 1 == family.run_start[r + 1];
            const double behind = ends ? 0. : interpolated(x.col(family.point[l]) + .5 * spacing * e, k, row_of_edge, p);
            family.slope[l]     = (behind - before) / (family.before[l] + family.behind[l]);
            u_p.col(family.point[l]) -= family.slope[l] * e;
            before = behind;
          }
      }
  });
}

/// The best slopes along e_k while the others stay: of r = e_k·u_p + s_k what increases, y = z weight / length, stays.
void LatticeLines::sweep(const int k)
{
  Family               &family = families[k];
  const Eigen::Vector2d e      = mesh.directions().col(k);
  for_blocks(family.n_runs(), runs_at_a_time, [&](const Index first, const Index last) {
    convex::LineRegression regression;
    std::vector<double>    values, weights, y;
    for (Index run = first; run < last; ++run)
      {
        const int begin = family.run_start[run], n = family.run_start[run + 1] - begin;
        values.resize(n);
        weights.resize(n);
        y.resize(n);
        for (int l = 0; l < n; ++l)
          {
            const int    q      = family.point[begin + l];
            const double length = family.before[begin + l] + family.behind[begin + l],
                         r      = e.dot(u_p.col(q)) + family.slope[begin + l];
            values[l]           = r * weight(q) / length;
            weights[l]          = length * length / weight(q);
          }
        regression.project(n, values.data(), weights.data(), y.data());
        for (int l = 0; l < n; ++l)
          {
            const int    q      = family.point[begin + l];
            const double length = family.before[begin + l] + family.behind[begin + l];
            const double change = e.dot(u_p.col(q)) - y[l] * length / weight(q);
            family.slope[begin + l] += change;
            u_p.col(q) -= change * e;
          }
      }
  });
}

void LatticeLines::polish(const Vector &v, const double least_gain, const int most_sweeps)
{
  Vector     unused;
  double     gap  = integrals(v, unused).gap(0);
  const auto size = [&] { return u_p.colwise().squaredNorm().dot(weight); };
  for (double before = size(); sweeps < most_sweeps; ++sweeps)
    {
      for (int k = 0; k < 3; ++k)
        sweep(k);
      const double now = size(), gain = before - now;
      gap    = std::max(0., gap - gain);
      before = now;
      if (gain <= least_gain * gap)
        break;
    }
}

/// At the beginning of a run, between its points, at its end (m²/s).
Vector LatticeLines::pressures(const Family &family, const Index run) const
{
  const int begin = family.run_start[run], n = family.run_start[run + 1] - begin;
  Vector    p = Vector::Zero(n + 1);
  for (int l = 0; l + 1 < n; ++l)
    p(l + 1) = std::max(0., p(l) + family.slope[begin + l] * (family.before[begin + l] + family.behind[begin + l]));
  return p;
}

/// v linear on triangles; `near`: a point in whose triangle it is continued beyond the mesh.
Eigen::Vector2d LatticeLines::velocity(const Eigen::Vector2d &at, const Vector &v, const int near) const
{
  TriangularMesh::Triangle in;
  Eigen::Vector3d          l;
  if (!mesh.containing(at, in, l))
    {
      in                                        = mesh.triangles()[triangle[near]];
      const Eigen::Matrix<double, 2, 3> corners = mesh.corners(in);
      Eigen::Matrix3d                   affine;
      affine << corners, Eigen::RowVector3d::Ones();
      l = affine.inverse() * Eigen::Vector3d(at(0), at(1), 1.);
    }
  Eigen::Vector2d value = Eigen::Vector2d::Zero();
  for (int c = 0; c < 3; ++c)
    value += l(c) * v.segment<2>(2 * mesh.node(mesh.vertex(in, c)));
  return value;
}

GapIntegrals LatticeLines::integrals(const Vector &v, Vector &indicators) const
{
  const auto   n = static_cast<Index>(place_of.size());
  Vector       of_points(n), speed(n);
  GapIntegrals sum;
  for_blocks(n, 4096, [&](const Index first, const Index last) {
    for (Index q = first; q < last; ++q)
      {
        const Eigen::Vector2d at_point = velocity(x.col(q), v, static_cast<int>(q));
        speed(q)                       = at_point.norm();
        of_points(q)                   = weight(q) * (at_point - u_p.col(q)).squaredNorm();
      }
  });
  for (Index q = 0; q < n; ++q)
    {
      GapIntegrals point;
      point.volume       = weight(q);
      point.mean.head(2) = U.col(q);
      point.speed        = speed(q);
      point.mismatch[0]  = of_points(q);
      sum.add(point);
    }
  const double width = std::sqrt(.1875) * spacing; // of a line: half the height of a part
  for (int k = 0; k < 3; ++k)
    {
      const Family         &family = families[k];
      const Eigen::Vector2d e      = mesh.directions().col(k);
      Vector                work   = Vector::Zero(static_cast<Index>(family.point.size()));
      for_blocks(family.n_runs(), runs_at_a_time, [&](const Index first, const Index last) {
        for (Index run = first; run < last; ++run)
          {
            const Vector p     = pressures(family, run);
            const int    begin = family.run_start[run];
            const auto   v_at  = [&](const int l, const double off) {
              return e.dot(velocity(x.col(family.point[l]) + off * e, v, family.point[l]));
            };
            double before = v_at(begin, -family.before[begin]);
            for (int l = begin; l < family.run_start[run + 1]; ++l)
              {
                const double behind = v_at(l, family.behind[l]);
                work(l)             = width * (p(l - begin) + p(l - begin + 1)) * (behind - before);
                before              = behind;
              }
          }
      });
      for (std::size_t l = 0; l < family.point.size(); ++l)
        {
          of_points(family.point[l]) += work(static_cast<Index>(l));
          sum.work[0] += work(static_cast<Index>(l));
        }
    }
  indicators = Vector::Zero(static_cast<Index>(mesh.triangles().size()));
  for (Index q = 0; q < n; ++q)
    indicators(triangle[q]) += of_points(q);
  return sum;
}

namespace
{
/// All integrals are known beforehand.
class PairOfLines : public AdmissiblePair
{
public:
  PairOfLines(Facts facts, GapIntegrals sum, Vector indicators)
      : AdmissiblePair(std::move(facts)), sum(std::move(sum)), of_triangles(std::move(indicators))
  {}

  GapIntegrals integrals(const Index first, const Index last, Eigen::MatrixXd &indicators) const override
  {
    indicators.middleRows(first, last - first) = of_triangles.segment(first, last - first);
    return first == 0 ? sum : GapIntegrals();
  }

private:
  GapIntegrals sum;
  Vector       of_triangles;
};
} // namespace

TotalBound LatticeLines::bound(const Vector &v) const
{
  Vector                indicators;
  GapIntegrals          sum = integrals(v, indicators);
  AdmissiblePair::Facts facts;
  facts.constructions = {"nodal velocities, pressures of lines that end with the zone"};
  facts.n_cells       = indicators.size();
  facts.at_a_time     = 8192;
  facts.width         = mesh.spacing();
  facts.quadrature = "The boundary of the zone cuts triangles: lines of the zone are integrated by points, so the bound is "
                     "an estimate.";
  return total_bound(PairOfLines(facts, sum, indicators));
}
} // namespace moreau::macro
