// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/flow/body_history.h"

#include "macro/flow/flow_state.h"

#include <numeric>

namespace moreau::macro
{
namespace
{
constexpr const char *counts_in_state = "counts of bodies", *firsts_in_state = "first times of bodies";

/// f(number) for what stands in a state, in its order.
template <class Counts, class F>
void for_counts(Counts &n, F &&f)
{
  for (auto *number : {&n.bodies, &n.births, &n.changes, &n.deaths, &n.colours, &n.thin, &n.joined, &n.surrounded, &n.fused,
                       &n.changed, &n.broken_off, &n.fusions, &n.gone, &n.narrowed})
    f(*number);
}
template <class Counts, class F>
void for_firsts(Counts &n, F &&f)
{
  for (auto *first : {&n.first_narrowed, &n.first_fused})
    {
      f(first->time);
      for (auto &x : first->place)
        f(x);
    }
}
} // namespace

void count_step(const std::size_t before, const std::size_t after,
                const std::vector<std::pair<std::size_t, std::size_t>> &links, BodyCounts &count)
{
  std::vector<std::size_t> parent(before + after); // a forest: bodies before, then those after
  std::iota(parent.begin(), parent.end(), std::size_t(0));
  const auto root = [&](std::size_t body) {
    while (parent[body] != body)
      body = parent[body] = parent[parent[body]];
    return body;
  };
  for (const auto &[a, b] : links)
    parent[root(a)] = root(before + b);
  std::vector<std::int64_t> had(parent.size(), 0), has(parent.size(), 0); // per root
  for (std::size_t body = 0; body < parent.size(); ++body)
    ++(body < before ? had : has)[root(body)];
  for (std::size_t body = 0; body < parent.size(); ++body)
    if (has[body] == 0)
      count.gone += had[body];
    else if (has[body] > had[body])
      count.broken_off += has[body] - had[body];
    else
      count.fusions += had[body] - has[body];
}

void put_into(convex::NamedArrays &state, const BodyCounts &count)
{
  std::vector<std::int64_t> &numbers = state.integers[counts_in_state];
  std::vector<double>       &firsts  = state.reals[firsts_in_state];
  for_counts(count, [&](const std::int64_t number) { numbers.push_back(number); });
  for_firsts(count, [&](const double x) { firsts.push_back(x); });
}

BodyCounts body_counts_of(const convex::NamedArrays &state)
{
  const std::vector<std::int64_t> &numbers = integers_of(state, counts_in_state);
  const std::vector<double>       &firsts  = reals_of(state, firsts_in_state);
  BodyCounts                       count;
  std::size_t                      n_numbers = 0, n_firsts = 0;
  for_counts(count, [&](std::int64_t &) { ++n_numbers; });
  for_firsts(count, [&](double &) { ++n_firsts; });
  if (numbers.size() != n_numbers || firsts.size() != n_firsts)
    throw_other_flow();
  auto number = numbers.begin();
  for_counts(count, [&](std::int64_t &value) { value = *number++; });
  auto first = firsts.begin();
  for_firsts(count, [&](double &value) { value = *first++; });
  return count;
}
} // namespace moreau::macro
