// SPDX-License-Identifier: GPL-3.0-or-later
#include "convex/chains/ordered_nodes.h"

#include "convex/chains/runs_of_problem.h"

#include <algorithm>

namespace moreau::convex
{
OrderedNodes::OrderedNodes(const SharedNetwork *const network, const std::vector<const LinesAlong *> &shared, const Index n)
    : network(network), n(n)
{
  if (network)
    {
      const NetworkPart &here = network->here();
      for (int block = here.first_own_block; block < here.first_own_block + here.n_own_blocks; ++block)
        pieces.push_back(here.block_begin[block] - here.first_own);
    }
  else
    for (Index begin = 0; begin < n; begin += nodes_at_a_time)
      pieces.push_back(begin);
  pieces.push_back(n);
  if (shared.empty() || !shared.front()->is_at_hand())
    return;

  std::vector<int> place(n, ChainFamilies::none);
  const auto       place_of = [&](const Index i) {
    if (place[i] == ChainFamilies::none)
      {
        place[i] = static_cast<int>(numbers.size());
        numbers.push_back(i);
      }
    return place[i];
  };
  const auto fewer_lines = [](const LinesAlong *const a, const LinesAlong *const b) {
    return a->lines().n_runs() < b->lines().n_runs();
  };
  const LinesAlong &first = **std::min_element(shared.begin(), shared.end(), fewer_lines); // the others cross few lines
  for (const int arrived : first.lines().node)
    place_of(first.nodes()[arrived]);
  for (const LinesAlong *const along : shared)
    {
      of_family.emplace_back();
      for (const int arrived : along->lines().node)
        of_family.back().push_back(place_of(along->nodes()[arrived]));
    }
  for (Index i = 0; i < n; ++i)
    place_of(i);
}
} // namespace moreau::convex
