// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MACRO_ISOTROPIC_OBSTACLE_MULTIGRID_H
#define MOREAU_MACRO_ISOTROPIC_OBSTACLE_MULTIGRID_H

#include "convex/cone_projection.h"

namespace moreau::macro
{
/// Nested truncated nonsmooth Newton multigrid (TNNMG) for the isotropic cone on a staggered grid: the obstacle problem
///     p >= 0,   W p + (b - BU) >= 0,   complementary,      W = B M⁻¹Bᵀ.
/// Per iteration: projected Gauss-Seidel, one V cycle of the Galerkin multigrid with the rows where p = 0 masked, the
/// correction projected, an exact line search. Every impact is a cold start,
/// so starts are nested: the problem is solved on coarser grids first.
class ObstacleMultigrid : public convex::ConeProjector
{
public:
  explicit ObstacleMultigrid(const convex::StoppingCriterion &criterion) : criterion(criterion) {}

  /// Needs a DivergenceConstraint (std::invalid_argument otherwise). n_iterations: of the finest level.
  convex::SaddlePoint project(const convex::ProjectionProblem &problem,
                              const convex::Vector            *p_start = nullptr) const override;

private:
  convex::StoppingCriterion criterion;
};
} // namespace moreau::macro

#endif
