// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_CONVEX_SOLVERS_INNER_POINT_H
#define MOREAU_CONVEX_SOLVERS_INNER_POINT_H

#include "convex/cone_projection.h"

#include <memory>

namespace moreau::convex
{
/// Repairs by a velocity inside of K = { v : Bv <= b } where b is not 0 and no field opens all rows, as in a box that
/// changes its shape or between walls that move: with Bv₀ < b
///     v = u + t(v₀ - u),   t the smallest for which Bv <= b,
/// which moves u by as little as it violates its rows. v₀ is the projection of U on { v : Bv <= b - δ }, δ as large a part
/// of the speeds as is found in a few trials. Null where there is none, or almost none.
/// Needs a DiagonalSpace and a SparseConstraint (std::invalid_argument otherwise).
std::shared_ptr<const FeasibleRepair> repair_by_inner_point(const ProjectionProblem &problem);
} // namespace moreau::convex

#endif
