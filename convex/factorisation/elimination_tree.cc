// SPDX-License-Identifier: GPL-3.0-or-later
#include "convex/factorisation/elimination_tree.h"

#include <tbb/parallel_for_each.h>

#include <algorithm>
#include <atomic>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <utility>

namespace moreau::convex
{
namespace
{
/// Flops of all fronts from which threads are worth the while, some 20 ms, and the least of a part.
constexpr double worth_threads = 4e7, least_of_a_part = 1e6;

/// Parts of equal work that are aimed at: enough for sixteen threads.
constexpr double n_parts = 64.;
} // namespace

EliminationTree::EliminationTree(std::vector<int> parent, const std::vector<double> &work)
    : parents(std::move(parent)), part_of_front(parents.size())
{
  const int           n     = static_cast<int>(parents.size());
  const double        total = std::accumulate(work.begin(), work.end(), 0.);
  std::vector<double> of_subtree(work);
  std::vector<int>    n_fronts(n, 1), first(n); // of the subtree
  std::iota(first.begin(), first.end(), 0);
  for (int s = 0; s < n; ++s)
    {
      const int parent = parents[s];
      if (first[s] != s - n_fronts[s] + 1 || parent >= n || (parent >= 0 && parent <= s))
        throw std::invalid_argument("an elimination tree needs its fronts in postorder.");
      if (parent < 0)
        continue;
      of_subtree[parent] += of_subtree[s];
      n_fronts[parent] += n_fronts[s];
      first[parent] = std::min(first[parent], first[s]);
    }

  const double limit =
      total < worth_threads ? std::numeric_limits<double>::infinity() : std::max(total / n_parts, least_of_a_part);
  const auto is_single = [&](const int s) { return of_subtree[s] > limit; };
  double     taken     = 0.;
  const auto begin     = [&](const int s) {
    ranges.push_back({s, s});
    taken = 0.;
  };
  for (int s = 0; s < n; ++s)
    {
      // a subtree is begun at its first front, and belongs to one part
      const bool may_begin = s == 0 || parents[s - 1] < 0 || is_single(parents[s - 1]) || is_single(s - 1);
      if (s == 0 || is_single(s) || is_single(s - 1) || (may_begin && taken >= limit))
        begin(s);
      ranges.back().end = s + 1;
      taken += work[s];
      part_of_front[s] = static_cast<int>(ranges.size()) - 1;
    }

  above.resize(ranges.size());
  below.resize(ranges.size());
  for (int s = 0; s < n; ++s)
    if (is_handed_on(s))
      {
        above[part_of(s)].push_back(part_of(parents[s]));
        below[part_of(parents[s])].push_back(part_of(s));
      }
}

void EliminationTree::from_leaves(const std::function<void(int)> &f) const { run(above, below, f); }

void EliminationTree::from_roots(const std::function<void(int)> &f) const { run(below, above, f); }

/// Calls f for each part when all of `before` are done, then tells `next`.
void EliminationTree::run(const std::vector<std::vector<int>> &next, const std::vector<std::vector<int>> &before,
                          const std::function<void(int)> &f)
{
  if (next.size() == 1)
    return f(0);
  std::vector<std::atomic<int>> waits_for(next.size());
  std::vector<int>              ready;
  for (std::size_t part = 0; part < next.size(); ++part)
    {
      waits_for[part] = static_cast<int>(before[part].size());
      if (before[part].empty())
        ready.push_back(static_cast<int>(part));
    }
  tbb::parallel_for_each(ready.begin(), ready.end(), [&](const int part, tbb::feeder<int> &feeder) {
    f(part);
    for (const int other : next[part])
      if (--waits_for[other] == 0)
        feeder.add(other);
  });
}
} // namespace moreau::convex
