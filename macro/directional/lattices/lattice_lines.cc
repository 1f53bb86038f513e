// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/directional/lattices/lattice_lines.h"

#include "convex/chains/isotonic_regression.h"
#include "macro/saturated_cells.h"

#include <algorithm>
#include <limits>

namespace moreau::macro
{
namespace
{
constexpr Index runs_at_a_time = 64;
} // namespace

std::vector<char> saturated_in_blocks(const Domain &domain, const Eigen::MatrixXd &x, const Progress &progress)
{
  std::vector<char> result(x.cols());
  const auto        set = [&](const Index first, const Index last) {
    const std::vector<char> block = saturated_at(domain, x.middleCols(first, last - first));
    std::copy(block.begin(), block.end(), result.begin() + first);
  };
  for_blocks(x.cols(), 8192, set, progress);
  return result;
}

template <int dim>
LatticeLines<dim>::LatticeLines(const Domain &domain, LinePoints<dim> given, Velocity velocity, const Pressure &p,
                                const Pressure &at_end, const Opening &opening, const Progress &progress)
    : domain(domain)
    , points(std::move(given))
    , v(std::move(velocity))
    , u_p(points.U)
    , v_at_points(dim, n_points())
    , families(points.e.cols())
{
  for_blocks(n_points(), 4096, [&](const Index first, const Index last) {
    for (Index q = first; q < last; ++q)
      v_at_points.col(q) = v(points.x.col(q), static_cast<int>(q));
  });
  for (int k = 0; k < n_directions(); ++k)
    {
      progress((k + 1.) / (n_directions() + 1.));
      find_lines(k, opening);
      find_ends(k);
      start(k, p, at_end);
      compare_with_v(k);
    }
}

/// Runs of points along e_k between which the zone does not end.
template <int dim>
void LatticeLines<dim>::find_lines(const int k, const Opening &opening)
{
  const Index      n = n_points();
  std::vector<int> next(n, -1), previous = next, doubtful;
  for (int q = 0; q < n; ++q)
    if (const Index at = points.place[q] + points.step[k];
        at >= 0 && at < static_cast<Index>(points.at.size()) && points.at[at] >= 0)
      {
        next[q] = points.at[at];
        if (!points.parts[points.part[q]].is_whole || !points.parts[points.part[next[q]]].is_whole)
          doubtful.push_back(q);
      }
  Eigen::MatrixXd middles(dim, doubtful.size());
  for (std::size_t d = 0; d < doubtful.size(); ++d)
    middles.col(static_cast<Index>(d)) = .5 * (points.x.col(doubtful[d]) + points.x.col(next[doubtful[d]]));
  const std::vector<char> saturated = saturated_in_blocks(domain, middles);
  for (std::size_t d = 0; d < doubtful.size(); ++d)
    if (!saturated[d])
      next[doubtful[d]] = -1;
  constexpr double inside = 1. - 1e-9; // of an opening, where v is that of one side
  Family          &family = families[k];
  for (int q = 0; q < n && opening; ++q)
    if (next[q] >= 0)
      if (const auto opens = opening(points.x.col(q), points.x.col(next[q]), k))
        {
          family.opens_behind[q]       = inside * opens->first * points.spacing;
          family.opens_before[next[q]] = inside * (1. - opens->second) * points.spacing;
          next[q]                      = -1;
        }
  for (int q = 0; q < n; ++q)
    if (next[q] >= 0)
      previous[next[q]] = q;

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
      const auto length = [&](const auto &opens, const int point, const double found) {
        const auto at = opens.find(point);
        return std::max(at == opens.end() ? found : at->second, 1e-9 * spacing);
      };
      const int begin = family.run_start[r], back = family.run_start[r + 1] - 1;
      family.before[begin] = length(family.opens_before, family.point[begin], low(2 * r));
      family.behind[back]  = length(family.opens_behind, family.point[back], low(2 * r + 1));
    }
}

template <int dim>
void LatticeLines<dim>::start(const int k, const Pressure &p, const Pressure &at_end)
{
  Family     &family = families[k];
  const Point e      = points.e.col(k);
  family.slope.assign(family.point.size(), 0.);
  family.p_begin.resize(family.n_runs());
  family.p_end.resize(family.n_runs());
  family.bend_begin.assign(family.n_runs(), 0.);
  family.bend_end.assign(family.n_runs(), 0.);
  for_blocks(family.n_runs(), runs_at_a_time, [&](const Index first, const Index last) {
    for (Index r = first; r < last; ++r)
      {
        const int begin = family.run_start[r], back = family.run_start[r + 1] - 1;
        family.p_begin[r] = at_end(points.x.col(family.point[begin]) - family.before[begin] * e, k);
        family.p_end[r]   = at_end(points.x.col(family.point[back]) + family.behind[back] * e, k);
        double before     = family.p_begin[r];
        for (int l = begin; l <= back; ++l)
          {
            const double behind =
                l == back ? family.p_end[r] : p(points.x.col(family.point[l]) + .5 * points.spacing * e, k);
            family.slope[l] = (behind - before) / (family.before[l] + family.behind[l]);
            u_p.col(family.point[l]) -= family.slope[l] * e;
            before = behind;
          }
      }
  });
}

/// What v does on the pieces along e_k, and what it adds to r there: A length / weight times the mean of e_k·v on
/// them, A the width of a line, minus e_k·v at their points. Then η² is a square of r - s_k on the pieces and what
/// does not depend on p_k. It vanishes where weights are those of the pieces, and v is linear on them.
template <int dim>
void LatticeLines<dim>::compare_with_v(const int k)
{
  Family &family = families[k];
  family.offset.resize(family.point.size());
  family.v.resize(family.point.size());
  const auto n = static_cast<Index>(family.point.size());
  for_blocks(n, 1024, [&](const Index first, const Index last) {
    for (Index l = first; l < last; ++l)
      {
        const int    q    = family.point[l];
        const double area = points.width * family.length(static_cast<int>(l)) / points.weight(q);
        family.v[l]       = on_piece<dim>(points, q, k, family.before[l], family.behind[l], v);
        family.offset[l]  = area * family.v[l].mean - points.e.col(k).dot(v_at_points.col(q));
      }
  });
}

/// The best slopes along e_k while the others and the bends stay: of r = e_k·u_p + s_k and its offset what increases, y = z
/// weight / length, stays.
template <int dim>
void LatticeLines<dim>::sweep(const int k)
{
  Family     &family = families[k];
  const Point e      = points.e.col(k);
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
            const double length = family.length(begin + l),
                         r      = e.dot(u_p.col(q)) + family.slope[begin + l] + family.offset[begin + l];
            values[l]           = r * points.weight(q) / length;
            weights[l]          = length * length / points.weight(q);
          }
        // the sum of all slopes is what p gains from end to end
        values[0] += family.p_begin[run] / weights[0];
        values[n - 1] -= family.p_end[run] / weights[n - 1];
        regression.project(n, values.data(), weights.data(), y.data());
        for (int l = 0; l < n; ++l)
          {
            const int    q      = family.point[begin + l];
            const double before = e.dot(u_p.col(q)) + family.offset[begin + l],
                         now    = y[l] * family.length(begin + l) / points.weight(q);
            family.slope[begin + l] += before - now;
            u_p.col(q) -= (before - now) * e;
          }
      }
  });
}

/// Second derivatives of p_k on the first and last piece, from the slopes there and beside, as far as p_k stays >= 0.
template <int dim>
void LatticeLines<dim>::bend_ends(const int k, const Index run)
{
  Family   &family = families[k];
  const int begin = family.run_start[run], back = family.run_start[run + 1] - 1;
  if (begin == back)
    return;
  for (const bool at_begin : {true, false})
    {
      const int    l = at_begin ? begin : back, beside = at_begin ? begin + 1 : back - 1;
      const double length = family.length(l), sign = at_begin ? 1. : -1.,
                   p_of_end = (at_begin ? family.p_begin : family.p_end)[run],
                   p_inside = std::max(0., p_of_end + sign * family.slope[l] * length);
      double bend =
          (family.slope[beside] - family.slope[l]) / (sign * points.spacing + family.centre(beside) - family.centre(l));
      if (p_inside == 0. && p_of_end == 0.)
        bend = 0.;
      else if (bend > 0.) // below the chord by bend length² / 8 at most; monotone up to 2 |slope| / length
        bend = std::min(bend, std::max(8. * std::min(p_inside, p_of_end) / (length * length),
                                       2. * std::abs(p_inside - p_of_end) / (length * length)));
      double &of_run = (at_begin ? family.bend_begin : family.bend_end)[run];
      u_p.col(family.point[l]) += family.centre(l) * (bend - of_run) * points.e.col(k);
      of_run = bend;
    }
}

/// η² but for what points do not see.
template <int dim>
double LatticeLines<dim>::gap_at_points() const
{
  double sum = 0.;
  for (Index q = 0; q < n_points(); ++q)
    sum += points.weight(q) * (v_at_points.col(q) - u_p.col(q)).squaredNorm();
  for (int k = 0; k < n_directions(); ++k)
    sum += work(k).sum();
  return sum;
}

template <int dim>
void LatticeLines<dim>::polish(const int most_sweeps, const Progress &progress)
{
  constexpr int n_bends = 3; // that these settle is seen
  sweep_until_settled(most_sweeps / (n_bends + 1), progress.part(0., 1. / (n_bends + 1)));
  double gap = gap_at_points();
  for (int bends = 1; bends <= n_bends; ++bends)
    {
      const auto u_before        = u_p;
      const auto families_before = families;
      for (int k = 0; k < n_directions(); ++k)
        for_blocks(families[k].n_runs(), runs_at_a_time, [&](const Index first, const Index last) {
          for (Index run = first; run < last; ++run)
            bend_ends(k, run);
        });
      sweep_until_settled(most_sweeps * (bends + 1) / (n_bends + 1),
                          progress.part(bends / (n_bends + 1.), (bends + 1) / (n_bends + 1.)));
      const double now = gap_at_points();
      if (!(now < gap))
        {
          // where p is exact but for what sweeps leave, bends of that are noise
          u_p      = u_before;
          families = families_before;
          return;
        }
      gap = now;
    }
}

template <int dim>
auto LatticeLines<dim>::slopes() const -> Slopes
{
  Slopes result;
  for (const Family &family : families)
    result.push_back(family.slope);
  return result;
}

/// now + part (now - before).
template <int dim>
void LatticeLines<dim>::set(const Slopes &now, const double part, const Slopes &before)
{
  for (int k = 0; k < n_directions(); ++k)
    for (std::size_t l = 0; l < now[k].size(); ++l)
      {
        double      &slope = families[k].slope[l];
        const double next  = now[k][l] + part * (now[k][l] - before[k][l]);
        u_p.col(families[k].point[l]) -= (next - slope) * points.e.col(k);
        slope = next;
      }
}

template <int dim>
void LatticeLines<dim>::sweep_until_settled(const int most_sweeps, const Progress &progress)
{
  const int        begin      = sweeps;
  constexpr int    at_a_time  = 10;
  constexpr double least_gain = .02;
  Slopes           best = slopes(), before = best;
  int              n = 0; // since the momentum was last taken away
  for (double gap = gap_at_points(); sweeps < most_sweeps;)
    {
      for (int i = 0; i < at_a_time; ++i, ++n)
        {
          Slopes now = slopes();
          if (n > 0)
            set(now, n / (n + 3.), before); // p may be below 0 until all directions have been swept
          before = std::move(now);
          for (int k = 0; k < n_directions(); ++k)
            sweep(k);
        }
      sweeps += at_a_time;
      progress(static_cast<double>(sweeps - begin) / std::max(at_a_time, most_sweeps - begin));
      const double now   = gap_at_points();
      const bool   worse = !(now < gap), settled = !(now < (1. - least_gain) * gap);
      if (worse)
        set(best, 0., best);
      else
        {
          best = slopes();
          gap  = now;
        }
      if (settled && !(worse && n > at_a_time))
        return;
      if (worse)
        n = 0;
    }
}

/// At the beginning of a run, between its points, at its end (m²/s).
template <int dim>
Vector LatticeLines<dim>::pressures(const Family &family, const Index run) const
{
  const int begin = family.run_start[run], n = family.run_start[run + 1] - begin;
  Vector    p = Vector::Zero(n + 1);
  p(0)        = family.p_begin[run];
  p(n)        = family.p_end[run];
  for (int l = 0; l + 1 < n; ++l)
    p(l + 1) = std::max(0., p(l) + family.slope[begin + l] * family.length(begin + l));
  return p;
}

/// 2A ∫ p_k ∂_{e_k}(v·e_k) on every piece, and 2A p_k e_k·v at ends that lie on walls.
template <int dim>
Vector LatticeLines<dim>::work(const int k) const
{
  const Family &family = families[k];
  Vector        result(static_cast<Index>(family.point.size()));
  for_blocks(family.n_runs(), runs_at_a_time, [&](const Index first, const Index last) {
    for (Index run = first; run < last; ++run)
      {
        const Vector p     = pressures(family, run);
        const int    begin = family.run_start[run], back = family.run_start[run + 1] - 1;
        for (int l = begin; l <= back; ++l)
          {
            const double bend   = (l == begin ? family.bend_begin[run] : 0.) + (l == back ? family.bend_end[run] : 0.),
                         before = p(l - begin), behind = p(l - begin + 1),
                         linear = (before + behind) * family.v[l].gain() + 2. * (behind - before) * family.v[l].excess();
            // what is bent stays >= 0 in total, as p does
            result(l) = points.width * std::max(std::min(0., linear), linear - 2. * bend * family.v[l].moment);
          }
        result(begin) += 2. * points.width * family.p_begin[run] * family.v[begin].begin;
        result(back) -= 2. * points.width * family.p_end[run] * family.v[back].end;
      }
  });
  return result;
}

template <int dim>
GapIntegrals LatticeLines<dim>::integrals(Vector &indicators) const
{
  constexpr double     around  = .75; // of a cell
  const Index          n       = n_points();
  const auto           n_parts = static_cast<Index>(points.parts.size());
  const PointBins<dim> bins(points.x, around * points.size);
  Vector               of_points(n), of_parts(n_parts);
  for_blocks(n_parts, 64, [&](const Index first, const Index last) {
    for (Index k = first; k < last; ++k)
      of_parts(k) = unseen<dim>(points, points.parts[k], bins, u_p, v_at_points, v);
  });
  GapIntegrals sum;
  for (Index q = 0; q < n; ++q)
    {
      of_points(q) = points.weight(q) * (v_at_points.col(q) - u_p.col(q)).squaredNorm();
      GapIntegrals point;
      point.volume         = points.weight(q);
      point.mean.head(dim) = points.U.col(q);
      point.speed          = v_at_points.col(q).norm();
      point.mismatch[0]    = of_points(q);
      sum.add(point);
    }
  for (int k = 0; k < n_directions(); ++k)
    {
      const Vector of_pieces = work(k);
      for (std::size_t l = 0; l < families[k].point.size(); ++l)
        of_points(families[k].point[l]) += of_pieces(static_cast<Index>(l));
      sum.work[0] += of_pieces.sum();
    }
  sum.mismatch[0] += of_parts.sum();
  sum.energy[0] = std::numeric_limits<double>::quiet_NaN(); // by points, of the order of what they do not see
  // the law on the lattice of the points has this part of v's error itself
  const double rest = points.spacing / points.size, squared = std::pow(1. - rest, -2.);
  sum.mismatch[0] *= squared;
  sum.work[0] *= squared;
  of_points *= squared;
  of_parts *= squared;
  indicators = Vector::Zero(points.n_cells);
  for (Index q = 0; q < n; ++q)
    indicators(points.cell[q]) += of_points(q);
  for (Index k = 0; k < n_parts; ++k)
    {
      int cell = points.parts[k].cell;
      if (const int near = cell < 0 ? bins.nearest(points.parts[k].centre) : -1; near >= 0)
        cell = points.cell[near];
      if (cell >= 0)
        indicators(cell) += of_parts(k);
    }
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
TotalBound LatticeLines<dim>::bound(AdmissiblePair::Facts facts) const
{
  Vector       indicators;
  GapIntegrals sum    = integrals(indicators);
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
