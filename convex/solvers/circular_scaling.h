// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_CONVEX_SOLVERS_CIRCULAR_SCALING_H
#define MOREAU_CONVEX_SOLVERS_CIRCULAR_SCALING_H

#include "convex/circular_rows.h"

namespace moreau::convex
{
/// Arithmetic of Q for interior points (Alizadeh and Goldfarb 2003). In a block y∘z = (<y,z>, y_0 z' + z_0 y') with the unit
/// e = (1, 0, ...); numbers of size 1 are products.
/// Vectors have the rows of all blocks.
struct CircularAlgebra
{
  const CircularRows &Q;

  Vector product(const Vector &y, const Vector &z) const;
  Vector quotient(const Vector &y, const Vector &z) const; ///< x with y∘x = z, y inside of Q
  Vector unit() const;

  /// The largest a <= 1 for which y + a dy stays in Q; y inside of it.
  double longest_step(const Vector &y, const Vector &dy) const;
};

/// The symmetric W of every block with W p = W⁻¹ s = λ, for s and p inside of Q (Nesterov and Todd 1997): with y_0² - |y'|²
/// written as det y, J = diag(1, -1, ...),
///     W = η (2vvᵀ - J),   W⁻¹ = (2 Jv(Jv)ᵀ - J)/η,   η² = √(det s / det p),
///     v = (w + e)/√(2(w_0 + 1)),   w = (s/√det s + J p/√det p)/(2γ).
class CircularScaling
{
public:
  CircularScaling(const CircularRows &Q, const Vector &s, const Vector &p);

  Vector        apply(const Vector &y) const;         ///< W y
  Vector        apply_inverse(const Vector &y) const; ///< W⁻¹ y
  const Vector &lambda() const { return lambda_; }

  /// The k x k matrix W⁻¹ of a block.
  Eigen::MatrixXd inverse_of_block(Index block) const;

private:
  const CircularRows &Q;
  Vector              v, eta, lambda_;
};
} // namespace moreau::convex

#endif
