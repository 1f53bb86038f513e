// SPDX-License-Identifier: GPL-3.0-or-later
#include "convex/solvers/constraint_sweep.h"

namespace moreau::convex::sweeps
{
NodeBlocks::NodeBlocks(const Index n_nodes, const std::vector<PairConstraint::Pair> &pairs, const int size)
    : position(n_nodes, -1), size(size)
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
}

SparseSweep::SparseSweep(const SparseConstraint &B, const Vector &inverse_mass, const Vector &W, const Vector &U)
    : start(B.n_constraints() + 1, 0)
    , d(B.n_constraints())
    , w(U)
    , f(Vector::Zero(U.size()))
    , U(U)
    , inverse_mass(inverse_mass)
{
  const auto &matrix = B.matrix();
  column.reserve(matrix.nonZeros());
  value.reserve(matrix.nonZeros());
  for (Index c = 0; c < matrix.rows(); ++c)
    {
      for (SparseConstraint::Matrix::InnerIterator entry(matrix, c); entry; ++entry)
        {
          column.push_back(static_cast<int>(entry.col()));
          value.push_back(entry.value());
        }
      d[c]         = scale_of_row(W(c));
      start[c + 1] = static_cast<Index>(value.size());
      for (Index k = start[c]; k < start[c + 1]; ++k)
        value[k] /= d[c];
    }
}

std::optional<Vector> values_of_nodes(const Vector &entries, const Index dim)
{
  Vector values(entries.size() / dim);
  for (Index k = 0; k < values.size(); ++k)
    {
      values(k) = entries(dim * k);
      if (!(entries.segment(dim * k, dim).array() == values(k)).all())
        return std::nullopt;
    }
  return values;
}
} // namespace moreau::convex::sweeps
