// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_CONVEX_SOLVERS_CIRCULAR_FACE_H
#define MOREAU_CONVEX_SOLVERS_CIRCULAR_FACE_H

#include "convex/cone_projection.h"

#include <utility>

namespace moreau::convex
{
/// Projects on a cone of circular rows which a known self-stress leaves without interior, and by CircularInteriorPoint where
/// it does not get there. With y = -Bv ∈ Q
///     s ∈ Q,   B*s = 0   =>   0 = <s, y>:  y_c = 0 where s_c lies inside of its circle,
///     y_c = t d_c, t >= 0, d_c = (1, -s_c'/|s_c'|)/√2 where it lies on the boundary, (Bv)_c = 0 for pressed inequalities.
/// Where all blocks of more rows than one are of these kinds that is a projection with equalities and inequalities: the
/// Slater point that circles lack is found among them. Its multipliers lie in Q + span s only up to closure: p is the point
/// of Q nearest to what they are plus τs, with the τ that is certified best. What is missing falls as 1/τ, rounding grows
/// with τ, so that bounds end at some 1e-4 where s lies on boundaries, and at rounding where it lies inside.
class CircularOnFace : public ConeProjector
{
public:
  /// stress: s (m), or of length 0. What is no self-stress, to rounding, is not used.
  CircularOnFace(const StoppingCriterion &criterion, Vector stress) : criterion(criterion), stress(std::move(stress)) {}

  /// Needs what CircularInteriorPoint needs (std::invalid_argument otherwise).
  SaddlePoint project(const ProjectionProblem &problem, const Vector *p_start = nullptr) const override;

private:
  StoppingCriterion criterion;
  Vector            stress;
};
} // namespace moreau::convex

#endif
