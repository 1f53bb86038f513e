// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/directional/lattice_lines.h"

#include "convex/solvers/isotonic_regression.h"
#include "macro/saturated_cells.h"

#include <algorithm>

namespace moreau::macro
{
namespace
{
constexpr Index runs_at_a_time = 64;
} // namespace

std::vector<char> saturated_in_blocks(const Domain &domain, const Eigen::MatrixXd &x)
{
  constexpr Index   at_a_time = 8192;
  std::vector<char> result(x.cols());
  for_blocks(x.cols(), at_a_time, [&](const Index first, const Index last) {
    const std::vector<char> block = saturated_at(domain, x.middleCols(first, last - first));
    std::copy(block.begin(), block.end(), result.begin() + first);
  });
  return result;
}

template <int dim>
LatticeLines<dim>::LatticeLines(const Domain &domain, LinePoints<dim> given, const Pressure &p)
    : domain(domain), points(std::move(given)), u_p(points.U), families(points.e.cols())
{
  for (int k = 0; k < n_directions(); ++k)
    {
      find_lines(k);
      find_ends(k);
      start(k, p);
    }
}

/// Runs of points along e_k between which the zone does not end.
template <int dim>
void LatticeLines<dim>::find_lines(const int k)
{
  const Index      n = n_points();
  std::vector<int> next(n, -1), previous = next, doubtful;
  for (int q = 0; q < n; ++q)
    if (const Index at = points.place[q] + points.step[k];
        at >= 0 && at < static_cast<Index>(points.at.size()) && points.at[at] >= 0)
      {
        next[q] = points.at[at];
        if (!points.is_whole[q] || !points.is_whole[next[q]])
          doubtful.push_back(q);
      }
  Eigen::MatrixXd middles(dim, doubtful.size());
  for (std::size_t d = 0; d < doubtful.size(); ++d)
    middles.col(static_cast<Index>(d)) = .5 * (points.x.col(doubtful[d]) + points.x.col(next[doubtful[d]]));
  const std::vector<char> saturated = saturated_in_blocks(domain, middles);
  for (std::size_t d = 0; d < doubtful.size(); ++d)
    if (!saturated[d])
      next[doubtful[d]] = -1;
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
template <int dim>
void LatticeLines<dim>::find_ends(const int k)
{
  Family         &family  = families[k];
  const Index     n       = family.n_runs();
  const double    spacing = points.spacing;
  Eigen::MatrixXd from(dim, 2 * n);
  for (Index r = 0; r < n; ++r)
    {
      from.col(2 * r)     = points.x.col(family.point[family.run_start[r]]);
      from.col(2 * r + 1) = points.x.col(family.point[family.run_start[r + 1] - 1]);
    }
  const auto at = [&](const Vector &distance) {
    Eigen::MatrixXd there = from;
    for (Index end = 0; end < 2 * n; ++end)
      there.col(end) += (end % 2 == 0 ? -1. : 1.) * distance(end) * points.e.col(k);
    return saturated_in_blocks(domain, there);
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

template <int dim>
void LatticeLines<dim>::start(const int k, const Pressure &p)
{
  Family     &family = families[k];
  const Point e      = points.e.col(k);
  family.slope.assign(family.point.size(), 0.);
  for_blocks(family.n_runs(), runs_at_a_time, [&](const Index first, const Index last) {
    for (Index r = first; r < last; ++r)
      {
        double before = 0.;
        for (int l = family.run_start[r]; l < family.run_start[r + 1]; ++l)
          {
            const bool   ends   = l + 1 == family.run_start[r + 1];
            const double behind = ends ? 0. : p(points.x.col(family.point[l]) + .5 * points.spacing * e, k);
            family.slope[l]     = (behind - before) / (family.before[l] + family.behind[l]);
            u_p.col(family.point[l]) -= family.slope[l] * e;
            before = behind;
          }
      }
  });
}

/// What v adds to r on the pieces along e_k: A length / weight times the mean of e_k·v at their ends, A the width of a line,
/// minus e_k·v at their points. It vanishes where weights are those of the pieces, and v is linear on them.
template <int dim>
void LatticeLines<dim>::compare_with(const Velocity &v, const int k)
{
  Family     &family = families[k];
  const Point e      = points.e.col(k);
  family.offset.assign(family.point.size(), 0.);
  if (!points.compare_with_v)
    return;
  for_blocks(static_cast<Index>(family.point.size()), 4096, [&](const Index first, const Index last) {
    for (Index l = first; l < last; ++l)
      {
        const int    q    = family.point[l];
        const Point  x    = points.x.col(q);
        const double mean = .5 * e.dot(v(x - family.before[l] * e, q) + v(x + family.behind[l] * e, q)),
                     area = points.width * (family.before[l] + family.behind[l]) / points.weight(q);
        family.offset[l]  = area * mean - e.dot(v(x, q));
      }
  });
}

/// The best slopes along e_k while the others stay: of r = e_k·u_p + s_k and its offset what increases, y = z weight /
/// length, stays. Returns by how much η² falls.
template <int dim>
double LatticeLines<dim>::sweep(const int k)
{
  Family     &family = families[k];
  const Point e      = points.e.col(k);
  Vector      gains  = Vector::Zero(family.n_runs());
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
                         r      = e.dot(u_p.col(q)) + family.slope[begin + l] + family.offset[begin + l];
            values[l]           = r * points.weight(q) / length;
            weights[l]          = length * length / points.weight(q);
          }
        regression.project(n, values.data(), weights.data(), y.data());
        for (int l = 0; l < n; ++l)
          {
            const int    q      = family.point[begin + l];
            const double length = family.before[begin + l] + family.behind[begin + l];
            const double before = e.dot(u_p.col(q)) + family.offset[begin + l], now = y[l] * length / points.weight(q);
            gains(run) += points.weight(q) * (before * before - now * now);
            family.slope[begin + l] += before - now;
            u_p.col(q) -= (before - now) * e;
          }
      }
  });
  return gains.sum();
}

template <int dim>
void LatticeLines<dim>::polish(const Velocity &v, const double least_gain, const int most_sweeps)
{
  Vector unused;
  double gap = integrals(v, unused).gap(0);
  for (int k = 0; k < n_directions(); ++k)
    compare_with(v, k);
  for (; sweeps < most_sweeps; ++sweeps)
    {
      double gain = 0.;
      for (int k = 0; k < n_directions(); ++k)
        gain += sweep(k);
      gap = std::max(0., gap - gain);
      if (gain <= least_gain * gap)
        break;
    }
  for (Family &family : families)
    family.offset = {};
}

/// At the beginning of a run, between its points, at its end (m²/s).
template <int dim>
Vector LatticeLines<dim>::pressures(const Family &family, const Index run) const
{
  const int begin = family.run_start[run], n = family.run_start[run + 1] - begin;
  Vector    p = Vector::Zero(n + 1);
  for (int l = 0; l + 1 < n; ++l)
    p(l + 1) = std::max(0., p(l) + family.slope[begin + l] * (family.before[begin + l] + family.behind[begin + l]));
  return p;
}

template <int dim>
GapIntegrals LatticeLines<dim>::integrals(const Velocity &v, Vector &indicators) const
{
  const Index  n = n_points();
  Vector       of_points(n), speed(n);
  GapIntegrals sum;
  for_blocks(n, 4096, [&](const Index first, const Index last) {
    for (Index q = first; q < last; ++q)
      {
        const Point at_point = v(points.x.col(q), static_cast<int>(q));
        speed(q)             = at_point.norm();
        of_points(q)         = points.weight(q) * (at_point - u_p.col(q)).squaredNorm();
      }
  });
  for (Index q = 0; q < n; ++q)
    {
      GapIntegrals point;
      point.volume         = points.weight(q);
      point.mean.head(dim) = points.U.col(q);
      point.speed          = speed(q);
      point.mismatch[0]    = of_points(q);
      sum.add(point);
    }
  for (int k = 0; k < n_directions(); ++k)
    {
      const Family &family = families[k];
      const Point   e      = points.e.col(k);
      Vector        work   = Vector::Zero(static_cast<Index>(family.point.size()));
      for_blocks(family.n_runs(), runs_at_a_time, [&](const Index first, const Index last) {
        for (Index run = first; run < last; ++run)
          {
            const Vector p     = pressures(family, run);
            const int    begin = family.run_start[run];
            const auto   v_at  = [&](const int l, const double off) {
              return e.dot(v(points.x.col(family.point[l]) + off * e, family.point[l]));
            };
            double before = v_at(begin, -family.before[begin]);
            for (int l = begin; l < family.run_start[run + 1]; ++l)
              {
                const double behind = v_at(l, family.behind[l]);
                work(l)             = points.width * (p(l - begin) + p(l - begin + 1)) * (behind - before);
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
  indicators = Vector::Zero(points.n_cells);
  for (Index q = 0; q < n; ++q)
    indicators(points.cell[q]) += of_points(q);
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

template <int dim>
TotalBound LatticeLines<dim>::bound(const Velocity &v, AdmissiblePair::Facts facts) const
{
  Vector       indicators;
  GapIntegrals sum    = integrals(v, indicators);
  facts.constructions = {"nodal velocities, pressures of lines that end with the zone"};
  facts.n_cells       = indicators.size();
  facts.at_a_time     = 8192;
  facts.quadrature    = "The boundary of the zone cuts " + facts.cells +
                     ": lines of the zone are integrated by points, so the bound is an estimate.";
  return total_bound(PairOfLines(std::move(facts), sum, indicators));
}

template class LatticeLines<2>;
template class LatticeLines<3>;
} // namespace moreau::macro
