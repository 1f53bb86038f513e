// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MACRO_ACTIVE_SET_H
#define MOREAU_MACRO_ACTIVE_SET_H

#include "convex/cone_projection.h"

namespace moreau::macro
{
/// Primal-dual active set with conjugate gradients and Trilinos' algebraic multigrid (ML) for any diagonal V and sparse B whose
/// W = B M⁻¹Bᵀ is (nearly) an M-matrix: the fallback of, and the check on, ObstacleMultigrid. Stops on the natural residual of the recomputed u,
/// never on an unchanged active set. One process.
class ActiveSet : public convex::ConeProjector
{
public:
  explicit ActiveSet(const convex::StoppingCriterion &criterion) : criterion(criterion) {}

  /// Needs V diagonal (DiagonalSpace or anything whose inverse_riesz is diagonal) and a SparseConstraint (std::invalid_argument otherwise).
  convex::SaddlePoint project(const convex::ProjectionProblem &problem,
                              const convex::Vector            *p_start = nullptr) const override;

private:
  convex::StoppingCriterion criterion;
};
} // namespace moreau::macro

#endif
