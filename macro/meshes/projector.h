// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MACRO_MESHES_PROJECTOR_H
#define MOREAU_MACRO_MESHES_PROJECTOR_H

#include "convex/cone_projection.h"

namespace moreau::macro
{
/// Primal-dual active set for a MixedConstraint. With the rows A taken as equations the saddle point
///     M u + Bᵀ_A p = M U,   B_A u = 0
/// is solved by hybridisation: velocities are cut at the faces, tied again by multipliers λ, and eliminated cell by cell,
///     Σ_K Cᵀ_K P_K C_K λ = Σ_K Cᵀ_K P_K M_K U,      P_K = M_K⁻¹ -
///     M_K⁻¹Bᵀ_A (B_A M_K⁻¹ Bᵀ_A)⁻¹ B_A M_K⁻¹.
/// That matrix is symmetric positive definite: sparse Cholesky factors in one
/// process, conjugate gradients with algebraic multigrid in several.
/// Rows change sides by the sign of ½ W_cc p + Bu; where that does not lessen
/// the number of wrong rows, only the worst ones change.
/// Stops on the criterion as convex::judge sees the velocity recomputed from p; iterations are changes of the active set.
class MixedProjector : public convex::ConeProjector
{
public:
  explicit MixedProjector(const convex::StoppingCriterion &criterion) : criterion(criterion) {}

  /// Needs a MixedConstraint and MixedVelocities (std::invalid_argument otherwise).
  convex::SaddlePoint project(const convex::ProjectionProblem &problem,
                              const convex::Vector            *p_start = nullptr) const override;

private:
  convex::StoppingCriterion criterion;
};
} // namespace moreau::macro

#endif
