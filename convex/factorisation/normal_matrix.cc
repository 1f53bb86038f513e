// SPDX-License-Identifier: GPL-3.0-or-later
#include "convex/factorisation/normal_matrix.h"

#include "convex/in_pieces.h"

#include <algorithm>

namespace moreau::convex
{
void NormalMatrix::set_pattern(const int dim, const int n_nodes, std::vector<std::pair<int, int>> edges)
{
  std::sort(edges.begin(), edges.end());
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  blocks.dim = dim;
  blocks.column_start.reserve(n_nodes + 1);
  blocks.row.reserve(n_nodes + edges.size());
  blocks.column_start.push_back(0);
  auto edge = edges.begin();
  for (int node = 0; node < n_nodes; ++node)
    {
      blocks.row.push_back(node);
      for (; edge != edges.end() && edge->first == node; ++edge)
        blocks.row.push_back(edge->second);
      blocks.column_start.push_back(static_cast<int>(blocks.row.size()));
    }
  H.resize(blocks.n_values());
}

int NormalMatrix::block_of(int i, int j) const
{
  if (i > j)
    std::swap(i, j);
  const auto first = blocks.row.begin() + blocks.column_start[i], last = blocks.row.begin() + blocks.column_start[i + 1];
  return static_cast<int>(std::lower_bound(first, last, j) - blocks.row.begin());
}

void NormalMatrix::set_masses(const Vector &masses)
{
  const int d = blocks.dim;
  H.setZero();
  for (int node = 0; node < blocks.n_nodes(); ++node)
    for (int a = 0; a < d; ++a)
      H((blocks.column_start[node] * d + a) * d + a) = masses(d * node + a);
}

namespace
{
/// One node per body: the row c = {i, j} adds w_c e eᵀ to the blocks ii and jj and subtracts it from the block ij.
class PairNormalMatrix : public NormalMatrix
{
public:
  PairNormalMatrix(const PairConstraint &B, const Vector &masses) : B(B), masses(masses)
  {
    std::vector<std::pair<int, int>> edges;
    edges.reserve(B.pairs().size());
    for (const auto &[i, j] : B.pairs())
      if (j != PairConstraint::fixed_body)
        edges.emplace_back(std::minmax(i, j));
    set_pattern(static_cast<int>(B.dimension()), static_cast<int>(B.n_nodes()), std::move(edges));
    off_diagonal.reserve(B.pairs().size());
    for (const auto &[i, j] : B.pairs())
      off_diagonal.push_back(j == PairConstraint::fixed_body ? -1 : block_of(i, j));
  }

  void assemble(const Vector &w) override
  {
    if (blocks.dim == 1)
      add_pairs<1>(w);
    else if (blocks.dim == 2)
      add_pairs<2>(w);
    else
      add_pairs<3>(w);
  }

private:
  const PairConstraint &B;
  const Vector         &masses;
  std::vector<int>      off_diagonal;

  /// Node by node, with the blocks of its column: what is added to a block comes in the order of the rows.
  template <int d>
  void add_pairs(const Vector &w)
  {
    const PairConstraint::RowsOfNodes &rows = B.rows_of_nodes();
    const auto                         add  = [&](const int node) {
      double *const ii = H.data() + d * d * blocks.column_start[node];
      std::fill_n(ii, d * d * (blocks.column_start[node + 1] - blocks.column_start[node]), 0.);
      for (int a = 0; a < d; ++a)
        ii[a * d + a] = masses(d * node + a);
      for (int l = rows.start[node]; l < rows.start[node + 1]; ++l)
        {
          const int c = rows.row[l];
          double    weighted[d * d];
          for (int a = 0; a < d; ++a)
            for (int k = 0; k < d; ++k)
              weighted[a * d + k] = w(c) * B.directions()(a, c) * B.directions()(k, c);
          for (int k = 0; k < d * d; ++k)
            ii[k] += weighted[k];
          const auto [i, j] = B.pairs()[c];
          if (j == PairConstraint::fixed_body || std::min(i, j) != node)
            continue;
          double *const ij = H.data() + d * d * off_diagonal[c];
          for (int k = 0; k < d * d; ++k)
            ij[k] -= weighted[k];
        }
    };
    constexpr Index worth_threads = 10000;
    in_pieces(blocks.n_nodes(), worth_threads, [&](const Index begin, const Index end) {
      for (Index node = begin; node < end; ++node)
        add(static_cast<int>(node));
    });
  }
};

/// Any sparse B, entry by entry.
class GeneralNormalMatrix : public NormalMatrix
{
public:
  GeneralNormalMatrix(const SparseConstraint::Matrix &B, const Vector &masses) : B(B), masses(masses)
  {
    std::vector<std::pair<int, int>> edges;
    for_each_product([&](const int i, const int j, double, int) {
      if (i != j)
        edges.emplace_back(std::minmax(i, j));
    });
    set_pattern(1, static_cast<int>(B.cols()), std::move(edges));
    for_each_product([&](const int i, const int j, double, int) { address.push_back(block_of(i, j)); });
  }

  void assemble(const Vector &w) override
  {
    set_masses(masses);
    const int *to = address.data();
    for_each_product([&](int, int, const double product, const int c) { H(*to++) += w(c) * product; });
  }

private:
  const SparseConstraint::Matrix &B;
  const Vector                   &masses;
  std::vector<int>                address;

  /// visit(i, j, B_ci B_cj, c) for every row c and i <= j.
  template <class Visit>
  void for_each_product(const Visit &visit) const
  {
    using Entry = SparseConstraint::Matrix::InnerIterator;
    for (int c = 0; c < B.rows(); ++c)
      for (Entry i(B, c); i; ++i)
        for (Entry j = i; j; ++j)
          visit(static_cast<int>(i.col()), static_cast<int>(j.col()), i.value() * j.value(), c);
  }
};
} // namespace

std::unique_ptr<NormalMatrix> make_normal_matrix(const SparseConstraint &B, const Vector &masses)
{
  if (const auto *const pairs = dynamic_cast<const PairConstraint *>(&B))
    return std::make_unique<PairNormalMatrix>(*pairs, masses);
  return std::make_unique<GeneralNormalMatrix>(B.matrix(), masses);
}
} // namespace moreau::convex
