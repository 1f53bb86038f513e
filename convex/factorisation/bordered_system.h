// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_CONVEX_FACTORISATION_BORDERED_SYSTEM_H
#define MOREAU_CONVEX_FACTORISATION_BORDERED_SYSTEM_H

#include "convex/constraint_operator.h"
#include "convex/factorisation/normal_matrix.h"
#include "convex/factorisation/sparse_cholesky.h"

#include <memory>

namespace moreau::convex
{
/// Newton's matrix of a program in velocities x (n) and one number t that all rows feel, G(x, t) = t l - Bx:
///     GᵀWG + diag(1, 0)  =  ( 1 + BᵀWB   -BᵀWl )
///                           (  -lᵀWB      lᵀWl )
/// by a factorisation of H = 1 + BᵀWB.
class BorderedSystem
{
public:
  /// Keeps references to both. factors: of an earlier system whose B had the same pattern; made here where there are none.
  BorderedSystem(const SparseConstraint &B, const Vector &l, std::shared_ptr<SparseCholesky> factors = nullptr);

  /// For the weights W (m), > 0. False where that breaks down; then the system must not be solved.
  bool factorize(const Vector &W);

  /// (x, t) := its inverse times (x, t). False where the last pivot is not positive.
  bool solve(Vector &x, double &t) const;

  /// x := H⁻¹x.
  void solve_without_border(Vector &x) const { cholesky->solve(x); }

  /// For the next system of this pattern.
  const std::shared_ptr<SparseCholesky> &factors() const { return cholesky; }

private:
  const SparseConstraint         &B;
  const Vector                   &l;
  const Vector                    ones;
  std::unique_ptr<NormalMatrix>   matrix;
  std::shared_ptr<SparseCholesky> cholesky;
  Vector                          border, solved_border; ///< -BᵀWl, H⁻¹ of it
  double                          corner = 0.;           ///< lᵀWl
};

/// The largest part α <= most of a step from x >= 0 that leaves x + α dx >= 0.
double longest_part(const Vector &x, const Vector &dx, double most = 1.);
} // namespace moreau::convex

#endif
