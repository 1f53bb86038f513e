// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MACRO_MESHES_CELLWISE_SYSTEM_H
#define MOREAU_MACRO_MESHES_CELLWISE_SYSTEM_H

#include "geometry/ghost_exchange.h"
#include "macro/vocabulary.h"
#include "macro/meshes/space.h"

#include <memory>
#include <vector>

namespace moreau::macro
{
/// A symmetric positive definite matrix that is a sum over cells, Σ_K with entries at the coefficients `index` of each
/// cell. The pattern stays, the values change.
class CellwiseSystem
{
public:
  virtual ~CellwiseSystem() = default;

  /// One square matrix per cell, plus `diagonal` (own coefficients). False
  /// where the sum is not positive definite: then solve() must not be called.
  virtual bool set(const std::vector<Eigen::MatrixXd> &cell_matrices, const Vector &diagonal) = 0;

  /// x = A⁻¹f (own coefficients) to a residual of tolerance |f|, starting from x; returns the number of iterations (0:
  /// direct). Fewer digits where rounding permits no more.
  virtual int solve(const Vector &f, Vector &x, double tolerance) const = 0;
};

/// Sparse Cholesky factors in one process; conjugate gradients with Trilinos' algebraic multigrid (ML) in several.
///   block      this many consecutive coefficients belong together; the first of them carries the constant functions
std::unique_ptr<CellwiseSystem> cellwise_system(const GhostExchange &numbering, const std::vector<const CellMap *> &cells,
                                                int block);

// The two, each in its file.
std::unique_ptr<CellwiseSystem> factorised_system(Index n, const std::vector<const CellMap *> &cells, int block);
std::unique_ptr<CellwiseSystem> multigrid_system(const GhostExchange &numbering, const std::vector<const CellMap *> &cells,
                                                 int block);
} // namespace moreau::macro

#endif
