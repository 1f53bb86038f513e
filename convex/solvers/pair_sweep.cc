// SPDX-License-Identifier: GPL-3.0-or-later
#include "convex/solvers/pair_sweep.h"

#include <numeric>

namespace moreau::convex::sweeps
{
NodeBlocks::NodeBlocks(const Index n_nodes, const std::vector<PairConstraint::Pair> &pairs, const int size)
    : position(n_nodes, -1)
{
  std::vector<Index> start(n_nodes + 1, 0);
  for (const auto &[i, j] : pairs)
    if (j != PairConstraint::fixed_body)
      {
        ++start[i + 1];
        ++start[j + 1];
      }
  for (Index k = 0; k < n_nodes; ++k)
    start[k + 1] += start[k];
  std::vector<int>   neighbour(start.back());
  std::vector<Index> next(start.begin(), start.end() - 1);
  for (const auto &[i, j] : pairs)
    if (j != PairConstraint::fixed_body)
      {
        neighbour[next[i]++] = j;
        neighbour[next[j]++] = i;
      }

  order.reserve(n_nodes);
  std::vector<int> rim, queue, seen_by(n_nodes, -1); // rim: nodes beside finished blocks, oldest first
  std::size_t      oldest    = 0;
  int              unvisited = 0;
  for (int block = 0; static_cast<Index>(order.size()) < n_nodes; ++block)
    {
      queue.clear();
      std::size_t head = 0;
      const auto  end  = std::min<std::size_t>(n_nodes, order.size() + size);
      begin.push_back(static_cast<int>(order.size()));
      while (order.size() < end)
        {
          if (head == queue.size())
            {
              while (oldest < rim.size() && position[rim[oldest]] >= 0)
                ++oldest;
              while (oldest == rim.size() && position[unvisited] >= 0)
                ++unvisited;
              queue.push_back(oldest < rim.size() ? rim[oldest] : unvisited);
              seen_by[queue.back()] = block;
            }
          const int node = queue[head++];
          position[node] = static_cast<int>(order.size());
          order.push_back(node);
          for (Index k = start[node]; k < start[node + 1]; ++k)
            if (position[neighbour[k]] < 0 && seen_by[neighbour[k]] != block)
              {
                seen_by[neighbour[k]] = block;
                queue.push_back(neighbour[k]);
              }
        }
      rim.insert(rim.end(), queue.begin() + head, queue.end());
    }
  begin.push_back(static_cast<int>(n_nodes));
  last_own = static_cast<int>(begin.size()) - 1;
  number_blocks();
}

NodeBlocks::NodeBlocks(const NetworkPart &part)
    : order(part.number.size())
    , position(part.number.size())
    , begin(part.block_begin.begin(), part.block_begin.end())
    , first_own(part.first_own_block)
    , last_own(part.first_own_block + part.n_own_blocks)
{
  std::iota(order.begin(), order.end(), 0);
  position = order;
  number_blocks();
}

void NodeBlocks::number_blocks()
{
  block.resize(order.size());
  for (std::size_t k = 0; k + 1 < begin.size(); ++k)
    for (int q = begin[k]; q < begin[k + 1]; ++q)
      block[order[q]] = static_cast<int>(k);
}
} // namespace moreau::convex::sweeps
