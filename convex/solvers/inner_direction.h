// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_CONVEX_SOLVERS_INNER_DIRECTION_H
#define MOREAU_CONVEX_SOLVERS_INNER_DIRECTION_H

#include "convex/cone_projection.h"

namespace moreau::convex
{
/// A field w with Bw < 0 row by row, for any B: what makes certificates guaranteed where nobody knows an expansion. The
/// shortest w with (Bw)_c <= -√W_cc, W = B M⁻¹Bᵀ, itself a projection; one part. Empty where no such w was found: there is
/// none, or almost none, as between walls that face each other.
/// watch: of that projection. Needs a DiagonalSpace and a SparseConstraint (std::invalid_argument otherwise).
Expansion inner_direction(const ProjectionProblem &problem, const Watch &watch = {});
} // namespace moreau::convex

#endif
