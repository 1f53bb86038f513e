// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_CONVEX_SOLVERS_CIRCULAR_INTERIOR_POINT_H
#define MOREAU_CONVEX_SOLVERS_CIRCULAR_INTERIOR_POINT_H

#include "convex/cone_projection.h"

namespace moreau::convex
{
/// Primal-dual interior point where rows belong together (ProjectionProblem::circles): a second-order cone program, in the
/// scaling of Nesterov and Todd (1997), with Mehrotra's predictor and corrector. With s = b - Bu ∈ Q, p ∈ Q and on every
/// block the symmetric W with W p = W⁻¹s = λ, one step solves
///     H du = -r_d - BᵀW⁻²r_p - BᵀW⁻¹(λ \ r_c),   H = M + BᵀW⁻²B,
///     dp = W⁻²(B du + r_p) + W⁻¹(λ \ r_c),   ds = -r_p - B du,
///     r_d = M(u - U) + Bᵀp,   r_p = Bu + s - b,   r_c = σμ e - λ∘λ - (W⁻¹ds)∘(W dp) of the predictor,
/// λ \ r_c the x with λ∘x = r_c. Velocities, masses and blocks are scaled to size 1. The u of its iterates lies inside of
/// the cone as soon as a whole step was made, and so does the answer where there is an inside.
/// Bounds relative to the scale are reached down to some 1e-7, where digits of s and p end.
class CircularInteriorPoint : public ConeProjector
{
public:
  explicit CircularInteriorPoint(const StoppingCriterion &criterion) : criterion(criterion) {}

  /// Needs a DiagonalSpace, a SparseConstraint and circles with as many rows (std::invalid_argument otherwise).
  SaddlePoint project(const ProjectionProblem &problem, const Vector *p_start = nullptr) const override;

private:
  StoppingCriterion criterion;
};
} // namespace moreau::convex

#endif
