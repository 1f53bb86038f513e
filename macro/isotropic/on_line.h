// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MACRO_ISOTROPIC_ON_LINE_H
#define MOREAU_MACRO_ISOTROPIC_ON_LINE_H

#include "macro/isotropic/divergence_constraint.h"

namespace moreau::macro
{
/// Multipliers p of the projection on the cone of a DivergenceConstraint in one dimension: isotonic regression of the face
/// velocities on every run of saturated cells (BM, section 3.1), cut off at 0 where the run ends at a wall. Between two
/// walls p is unique up to a constant: min p = 0. Every process computes it for the whole line.
/// On a line that repeats itself the regression has no ends: u + s, s the running sum of b, grows from period to period by
/// that of one, and where b = 0 on a full ring u is uniform. One process has that line.
Vector project_on_line(const DivergenceConstraint &B, const Vector &U, const Vector &b);
} // namespace moreau::macro

#endif
