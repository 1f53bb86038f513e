// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_CONVEX_SOLVERS_FACE_NEWTON_H
#define MOREAU_CONVEX_SOLVERS_FACE_NEWTON_H

#include "convex/cone_projection.h"

namespace moreau::convex
{
/// Newton's method on the active set, for a problem whose pressed rows are
/// nearly known: with F = { c : p_c > (b - Bu)_c } in units of velocity,
///     Bu = b on F,   p = 0 elsewhere,   u = U - B*p,
/// solved by augmented Lagrangians with one factorisation of M + BᵀWB, W large on F and 0 elsewhere, which dependent rows
/// do not harm; then F is looked at again. Exact in one round where F is right, as for a pile at rest; far from that it
/// wanders and gives up.
class FaceNewton : public ConeProjector
{
public:
  static constexpr unsigned int max_factorisations = 14;

  explicit FaceNewton(const StoppingCriterion &criterion) : criterion(criterion) {}

  /// Needs a DiagonalSpace and a SparseConstraint (std::invalid_argument
  /// otherwise) and a start; without one, status stagnated.
  SaddlePoint project(const ProjectionProblem &problem, const Vector *p_start = nullptr) const override;

private:
  StoppingCriterion criterion;
};
} // namespace moreau::convex

#endif
