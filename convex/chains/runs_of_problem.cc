// SPDX-License-Identifier: GPL-3.0-or-later
#include "convex/chains/runs_of_problem.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace moreau::convex
{
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
  constexpr double rounding = 1e-12;
  if (lower[r] - upper[r] <= rounding * size)
    lower[r] = upper[r] = .5 * (lower[r] + upper[r]);
}

void RunsOfProblem::regress(LineRegression &line, const Index r, const double *s, double *const x) const
{
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

void RunsOfProblem::multipliers(const Index r, const double *const x, const double *const y, const double common_mass,
                                Vector &p) const
{
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
  return {};
}

std::optional<Vector> blocking_chain(const std::vector<RunsOfProblem> &families, const Index n_rows)
{
  for (const RunsOfProblem &family : families)
    if (const std::optional<Index> r = family.blocked_run())
      {
        Vector      p            = Vector::Zero(n_rows);
        const auto &chains       = *family.chains;
        p(chains.row_before[*r]) = p(chains.row_after[*r]) = 1.;
        for (int l = chains.run_start[*r]; l + 1 < chains.run_start[*r + 1]; ++l)
          p(chains.row[l]) = 1.;
        return p;
      }
  return {};
}
} // namespace moreau::convex
