// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MACRO_ACTIVE_SET_H
#define MOREAU_MACRO_ACTIVE_SET_H

#include "convex/cone_projection.h"

namespace moreau::macro
{
/// Primal-dual active set with conjugate gradients and Trilinos' algebraic multigrid (ML) for any diagonal V and sparse B whose
/// W = B M⁻¹Bᵀ is (nearly) an M-matrix: the fallback of, and the check on, ObstacleMultigrid. Per iteration
///     A = { c : ½ W_cc p_c > (b - Bu_p)_c },      p = 0 outside A,      (W p - (BU - b))_A = 0,
/// Newton's method for min(½ W_cc p_c, (b - Bu_p)_c) = 0. Linear systems are solved only as well as the set deserves, so an unchanged set proves
/// nothing: it stops on the natural residual. Cold starts move the edge of A about a cell per iteration; nothing is nested.
class ActiveSet : public convex::ConeProjector
{
public:
  /// max_iterations of the criterion: linear systems.
  explicit ActiveSet(const convex::StoppingCriterion &criterion) : criterion(criterion) {}

  /// Throws std::invalid_argument unless V is diagonal, B a SparseConstraint and one process holds the problem, and std::logic_error where MPI,
  /// which Trilinos needs, was not started. Status `stagnated`: the set cycles, or a linear system resists.
  convex::SaddlePoint project(const convex::ProjectionProblem &problem,
                              const convex::Vector            *p_start = nullptr) const override;

private:
  convex::StoppingCriterion criterion;
};
} // namespace moreau::macro

#endif
