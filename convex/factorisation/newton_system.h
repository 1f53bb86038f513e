// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_CONVEX_FACTORISATION_NEWTON_SYSTEM_H
#define MOREAU_CONVEX_FACTORISATION_NEWTON_SYSTEM_H

#include "convex/constraint_operator.h"
#include "convex/factorisation/sparse_cholesky.h"

#include <memory>

namespace moreau::convex
{
/// H = M + BᵀWB, the matrix of an interior point's step, for one W = diag(w) after the other.
class NewtonSystem
{
public:
  virtual ~NewtonSystem() = default;

  /// Takes the weights w >= 0 (length m) of the next solutions. False where H cannot be factorised; then solve() must not be
  /// called.
  virtual bool set_weights(const Vector &w) = 0;

  /// x := H⁻¹x (length n_unknowns), so exactly that √(rᵀP⁻¹r) of the residual r falls by `tolerance`, P ≈ H being the
  /// preconditioner; tolerance 1: by one iteration, whatever it reaches; to rounding where H itself is factorised. False
  /// where iterations do not get there.
  virtual bool solve(Vector &x, double tolerance) = 0;

  /// Whether a solution costs as much as what it takes to prepare for the weights: then few are asked for.
  virtual bool solutions_are_costly() const { return false; }
};

/// H is factorised, in double precision. masses: one per entry of a velocity. Keeps references to B and masses.
std::unique_ptr<NewtonSystem> factorised_system(const SparseConstraint &B, const Vector &masses, CholeskyBackend backend);

/// Conjugate gradients in double precision on the exact H, for weights of at most some 1e6 times M: preconditioned by the
/// diagonal blocks of the bodies while that takes few iterations (the first steps of an interior point), from then on by a
/// factor in single precision of H without the contacts of small weight, which takes 2 to 4. Half the memory and the time of
/// factorised_system(), or less, where the fill of the factor is large: networks in space. few: iterations of a solution up
/// to which blocks serve; 0: 200 to 1000, by the number of nodes. Keeps references to B and masses.
std::unique_ptr<NewtonSystem> preconditioned_system(const PairConstraint &B, const Vector &masses, unsigned int few = 0);
} // namespace moreau::convex

#endif
