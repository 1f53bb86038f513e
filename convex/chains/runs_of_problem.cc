// SPDX-License-Identifier: GPL-3.0-or-later
#include "convex/chains/runs_of_problem.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace moreau::convex
{
namespace
{
constexpr double rounding = 1e-12; ///< of sums of b, relative to the sum of |b|
}

RunsOfProblem::RunsOfProblem(const ChainFamilies::Family &chains, const Vector &node_masses, const bool equal_masses,
                             const Vector &b)
    : chains(&chains)
{
  const Index n = n_positions();
  if (!equal_masses)
    {
      mass.resize(n);
      for (Index l = 0; l < n; ++l)
        mass[l] = node_masses(chains.node[l]);
    }
  if (!b.isZero(0.))
    {
      shift.assign(n, 0.);
      for (Index r = 0; r < chains.n_runs(); ++r)
        for (int l = chains.run_start[r] + 1; l < chains.run_start[r + 1]; ++l)
          shift[l] = shift[l - 1] + b(chains.row[l - 1]);
    }
  const auto is_row = [](const int row) { return row != ChainFamilies::none; };
  if (std::any_of(chains.row_before.begin(), chains.row_before.end(), is_row) ||
      std::any_of(chains.row_after.begin(), chains.row_after.end(), is_row))
    {
      constexpr double infinity = std::numeric_limits<double>::infinity();
      lower.assign(chains.n_runs(), -infinity);
      upper.assign(chains.n_runs(), infinity);
      for (Index r = 0; r < chains.n_runs(); ++r)
        set_bounds(r, b);
    }
  if (!chains.row_around.empty())
    set_room(b);
  chunk.push_back(0);
  for (Index r = 0; r < chains.n_runs(); ++r)
    if (chains.run_start[r + 1] - chains.run_start[chunk.back()] >= nodes_at_a_time || r + 1 == chains.n_runs())
      chunk.push_back(static_cast<int>(r) + 1);
}

void RunsOfProblem::set_bounds(const Index r, const Vector &b)
{
  const int before = chains->row_before[r], after = chains->row_after[r];
  if (before != ChainFamilies::none)
    lower[r] = -b(before);
  if (after != ChainFamilies::none)
    upper[r] = b(after) + shift_at(chains->run_start[r + 1] - 1);
  if (!(lower[r] > upper[r]))
    return;
  double size = std::abs(b(before)) + std::abs(b(after));
  for (int l = chains->run_start[r]; l + 1 < chains->run_start[r + 1]; ++l)
    size += std::abs(b(chains->row[l]));
  if (lower[r] - upper[r] <= rounding * size)
    lower[r] = upper[r] = .5 * (lower[r] + upper[r]);
}

void RunsOfProblem::set_room(const Vector &b)
{
  room.assign(chains->n_runs(), std::numeric_limits<double>::infinity());
  for (Index r = 0; r < chains->n_runs(); ++r)
    if (chains->is_closed(r))
      {
        double size = std::abs(b(chains->row_around[r]));
        for (int l = chains->run_start[r]; l + 1 < chains->run_start[r + 1]; ++l)
          size += std::abs(b(chains->row[l]));
        room[r] = shift_at(chains->run_start[r + 1] - 1) + b(chains->row_around[r]);
        if (std::abs(room[r]) <= rounding * size)
          room[r] = 0.;
      }
}

/// Three rounds of the run, each shifted by S, are one long line, of which the middle one is right: blocks of a line without
/// ends are no longer than a round, and what follows the end of one does not depend on what was before.
void RunsOfProblem::regress_closed(LineRegression &line, const Index r, const double *const s, double *const x) const
{
  const Index begin = chains->run_start[r], n = chains->run_start[r + 1] - begin;
  if (room[r] == 0.)
    {
      double sum = 0., weight = 0.;
      for (Index l = 0; l < n; ++l)
        {
          sum += mass_at(begin + l) * (s[l] + shift_at(begin + l));
          weight += mass_at(begin + l);
        }
      std::fill(x, x + n, sum / weight);
      return;
    }
  std::vector<double> rounds, weights;
  for (const double way : {-room[r], 0., room[r]})
    for (Index l = 0; l < n; ++l)
      {
        rounds.push_back(s[l] + shift_at(begin + l) + way);
        weights.push_back(mass_at(begin + l));
      }
  line.project(3 * n, rounds.data(), weights.data(), rounds.data());
  std::copy(rounds.data() + n, rounds.data() + 2 * n, x);
}

void RunsOfProblem::regress(LineRegression &line, const Index r, const double *s, double *const x) const
{
  if (chains->is_closed(r))
    return regress_closed(line, r, s, x);
  const Index begin = chains->run_start[r], n = chains->run_start[r + 1] - begin;
  if (!shift.empty())
    {
      for (Index l = 0; l < n; ++l)
        x[l] = s[l] + shift[begin + l];
      s = x;
    }
  line.project(n, s, mass.empty() ? nullptr : mass.data() + begin, x);
  if (!lower.empty())
    for (Index l = 0; l < n; ++l) // the bounded regression is the regression, cut off
      x[l] = std::min(std::max(x[l], lower[r]), upper[r]);
}

/// Running sums from the widest gap on, where p is 0; where there is none the least p is 0, of those that differ by a stress
/// of the whole run.
void RunsOfProblem::closed_multipliers(const Index r, const double *const x, const double *const y, const double common_mass,
                                       Vector &p) const
{
  const Index begin = chains->run_start[r], n = chains->run_start[r + 1] - begin;
  const auto  row    = [&](const Index l) { return l + 1 == n ? chains->row_around[r] : chains->row[begin + l]; };
  const auto  gap    = [&](const Index l) { return l + 1 == n ? x[0] + room[r] - x[l] : x[l + 1] - x[l]; };
  Index       widest = n - 1;
  for (Index l = 0; l + 1 < n; ++l)
    if (gap(l) > gap(widest))
      widest = l;
  double sum = 0., least = std::numeric_limits<double>::infinity();
  for (Index k = 1; k <= n; ++k)
    {
      const Index l = (widest + k) % n;
      sum += common_mass * mass_at(begin + l) * y[l];
      if (room[r] > 0. && (l == widest || l + 1 < n && gap(l) > 0.))
        sum = 0.;
      p(row(l)) = sum;
      least     = std::min(least, sum);
    }
  for (Index l = 0; l < n; ++l)
    p(row(l)) = room[r] > 0. ? std::max(0., p(row(l))) : p(row(l)) - least;
}

void RunsOfProblem::multipliers(const Index r, const double *const x, const double *const y, const double common_mass,
                                Vector &p) const
{
  if (chains->is_closed(r))
    return closed_multipliers(r, x, y, common_mass, p);
  const Index begin = chains->run_start[r], n = chains->run_start[r + 1] - begin;
  const int   before = chains->row_before[r], after = chains->row_after[r];
  const auto  momentum = [&](const Index l) { return common_mass * mass_at(begin + l) * y[l]; };
  double      sum      = 0.;
  if (before != ChainFamilies::none && x[0] == lower[r])
    {
      // the fixed body gives what its block lacks; between two bodies the least that keeps every p >= 0
      double partial = 0., least = 0.;
      Index  l = 0;
      for (; l < n && x[l] == x[0]; ++l)
        {
          partial += momentum(l);
          least = std::min(least, partial);
        }
      const bool blocked = l == n && after != ChainFamilies::none && x[0] == upper[r];
      sum                = std::max(0., -(blocked ? least : partial));
    }
  if (before != ChainFamilies::none)
    p(before) = sum;
  for (Index l = 0; l < n; ++l)
    {
      sum += momentum(l);
      const bool last = l + 1 == n;
      const int  row  = last ? after : chains->row[begin + l];
      if (last ? row != ChainFamilies::none && x[l] != upper[r] : x[l] < x[l + 1])
        sum = 0.;
      if (row != ChainFamilies::none)
        p(row) = std::max(0., sum);
    }
}

std::optional<Index> RunsOfProblem::blocked_run() const
{
  for (std::size_t r = 0; r < lower.size(); ++r)
    if (lower[r] > upper[r])
      return static_cast<Index>(r);
  for (std::size_t r = 0; r < room.size(); ++r)
    if (room[r] < 0.)
      return static_cast<Index>(r);
  return {};
}

std::optional<Vector> blocking_chain(const std::vector<RunsOfProblem> &families, const Index n_rows)
{
  for (const RunsOfProblem &family : families)
    if (const std::optional<Index> r = family.blocked_run())
      {
        Vector      p      = Vector::Zero(n_rows);
        const auto &chains = *family.chains;
        if (chains.is_closed(*r))
          p(chains.row_around[*r]) = 1.;
        else
          p(chains.row_before[*r]) = p(chains.row_after[*r]) = 1.;
        for (int l = chains.run_start[*r]; l + 1 < chains.run_start[*r + 1]; ++l)
          p(chains.row[l]) = 1.;
        return p;
      }
  return {};
}

std::optional<RigidSet> rigid_chains(const std::vector<RunsOfProblem> &families, const Index n_rows)
{
  RigidSet set;
  bool     some_closed = false;
  for (const RunsOfProblem &family : families)
    {
      const ChainFamilies::Family &chains = *family.chains;
      some_closed                         = some_closed || !chains.row_around.empty();
      for (Index r = 0; r < chains.n_runs(); ++r)
        if (family.is_rigid(r))
          {
            if (set.n_rows == 0)
              set.is_rigid = Vector::Zero(n_rows);
            set.is_rigid(chains.row_around[r]) = 1.;
            for (int l = chains.run_start[r]; l + 1 < chains.run_start[r + 1]; ++l)
              set.is_rigid(chains.row[l]) = 1.;
            set.n_rows += chains.run_start[r + 1] - chains.run_start[r];
          }
    }
  return some_closed ? std::optional<RigidSet>(set) : std::nullopt;
}
} // namespace moreau::convex
