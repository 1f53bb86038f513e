// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/meshes/cellwise_system.h"

#include "convex/factorisation/sparse_cholesky.h"

#include <algorithm>

namespace moreau::macro
{
namespace
{
class Factorised : public CellwiseSystem
{
public:
  Factorised(const Index n, const std::vector<const CellMap *> &cells, const int block) : n(n)
  {
    pattern.dim       = block;
    const int n_nodes = static_cast<int>(n / block);
    // rows below the diagonal of each block column
    std::vector<std::vector<int>> rows(n_nodes);
    for (const CellMap *const cell : cells)
      for (const Index j : cell->index)
        for (const Index i : cell->index)
          if (i / block >= j / block)
            rows[j / block].push_back(static_cast<int>(i / block));
    pattern.column_start.assign(1, 0);
    for (int column = 0; column < n_nodes; ++column)
      {
        rows[column].push_back(column);
        std::sort(rows[column].begin(), rows[column].end());
        rows[column].erase(std::unique(rows[column].begin(), rows[column].end()), rows[column].end());
        pattern.row.insert(pattern.row.end(), rows[column].begin(), rows[column].end());
        pattern.column_start.push_back(static_cast<int>(pattern.row.size()));
        rows[column] = {};
      }
    for (const CellMap *const cell : cells)
      {
        position.emplace_back();
        for (const Index j : cell->index)
          for (const Index i : cell->index)
            position.back().push_back(position_of(i, j));
      }
    if (n > 0)
      cholesky = convex::make_sparse_cholesky(pattern);
  }

  bool set(const std::vector<Eigen::MatrixXd> &cell_matrices, const Vector &diagonal) override
  {
    if (n == 0)
      return true;
    Vector values = Vector::Zero(static_cast<Index>(pattern.n_values()));
    for (std::size_t c = 0; c < cell_matrices.size(); ++c)
      for (std::size_t k = 0; k < position[c].size(); ++k)
        if (position[c][k] >= 0)
          values(position[c][k]) += cell_matrices[c].data()[k];
    for (Index i = 0; i < n; ++i)
      values(position_of(i, i)) += diagonal(i);
    return cholesky->factorize(values);
  }

  int solve(const Vector &f, Vector &x, double) const override
  {
    x = f;
    if (n > 0)
      cholesky->solve(x);
    return 0;
  }

private:
  /// Of entry (i, j) among the values; -1 above the diagonal.
  Index position_of(const Index i, const Index j) const
  {
    if (i < j)
      return -1;
    const int  dim = pattern.dim, column = static_cast<int>(j / dim);
    const auto begin = pattern.row.begin() + pattern.column_start[column],
               end   = pattern.row.begin() + pattern.column_start[column + 1];
    const Index k    = std::lower_bound(begin, end, static_cast<int>(i / dim)) - pattern.row.begin();
    return k * dim * dim + j % dim * dim + i % dim;
  }

  Index                                   n;
  convex::BlockPattern                    pattern;
  std::vector<std::vector<Index>>         position; ///< per cell, column by column
  std::unique_ptr<convex::SparseCholesky> cholesky;
};
} // namespace

std::unique_ptr<CellwiseSystem> factorised_system(const Index n, const std::vector<const CellMap *> &cells, const int block)
{
  return std::make_unique<Factorised>(n, cells, block);
}

std::unique_ptr<CellwiseSystem> cellwise_system(const GhostExchange &numbering, const std::vector<const CellMap *> &cells,
                                                const int block)
{
  if (numbering.sharing().size() == 1 || numbering.n_global() == 0)
    return factorised_system(numbering.n_own(), cells, block);
  return multigrid_system(numbering, cells, block);
}
} // namespace moreau::macro
