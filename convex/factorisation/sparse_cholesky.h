// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_CONVEX_FACTORISATION_SPARSE_CHOLESKY_H
#define MOREAU_CONVEX_FACTORISATION_SPARSE_CHOLESKY_H

#include "convex/velocity_space.h"

#include <cstddef>
#include <memory>
#include <vector>

namespace moreau::convex
{
/// Which blocks of a symmetric matrix of n_nodes x n_nodes blocks, each dim x dim, can be nonzero: the lower triangle, block
/// column by block column. Block k has the values dim*dim*k ... of an array, column by column; of a diagonal block only the
/// lower triangle is read.
struct BlockPattern
{
  int              dim = 1;
  std::vector<int> column_start; ///< n_nodes + 1: where the blocks of a block column begin
  std::vector<int> row;          ///< block row of each block: increasing in a column, the diagonal block first

  int         n_nodes() const { return static_cast<int>(column_start.size()) - 1; }
  Index       n_rows() const { return static_cast<Index>(dim) * n_nodes(); }
  std::size_t n_values() const { return static_cast<std::size_t>(dim) * dim * row.size(); }
};

/// H = LLᵀ for many matrices H with one pattern: analysed once, by nested dissection of the graph of the blocks.
/// The caller holds OpenBLAS to one thread (openblas_set_num_threads(1) or OPENBLAS_NUM_THREADS=1): its threads would slow
/// down the many small fronts, and the digits would depend on their number.
class SparseCholesky
{
public:
  virtual ~SparseCholesky() = default;

  /// Factorises the matrix with these block values (length n_values of the pattern). False where a pivot is not positive
  /// (H not positive definite, or NaN); then solve() must not be called.
  virtual bool factorize(const Vector &values) = 0;

  /// x = H⁻¹x with the last factorisation; length n_rows.
  virtual void solve(Vector &x) = 0;

  /// Entries of L that are stored.
  virtual std::size_t n_entries() const = 0;
};

enum class CholeskyBackend
{
  /// own numerical phase on CHOLMOD's symbolic analysis: 3 to 4 times faster on the small fronts of plane graphs
  multifrontal,
  multifrontal_single, ///< the same in single precision: for preconditioners only
  cholmod              ///< CHOLMOD's supernodal factorisation
};

/// Where factors are made that are too large for the memory of this process.
class CholeskyElsewhere
{
public:
  virtual ~CholeskyElsewhere() = default;

  /// Null where the factor of matrices with this pattern is to be made here.
  virtual std::unique_ptr<SparseCholesky> make(const BlockPattern &pattern) = 0;
};

/// While it lives, make_sparse_cholesky() of this thread asks `elsewhere` first. What is made there must not outlive it.
class WithCholeskyElsewhere
{
public:
  explicit WithCholeskyElsewhere(CholeskyElsewhere &elsewhere);
  ~WithCholeskyElsewhere();
  WithCholeskyElsewhere(const WithCholeskyElsewhere &) = delete;

private:
  CholeskyElsewhere *before;
};

/// Needs at least one node. Throws std::bad_alloc where L has 2³¹ entries or more.
std::unique_ptr<SparseCholesky> make_sparse_cholesky(const BlockPattern &pattern,
                                                     CholeskyBackend     backend = CholeskyBackend::multifrontal);
} // namespace moreau::convex

#endif
