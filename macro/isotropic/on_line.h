// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MACRO_ISOTROPIC_ON_LINE_H
#define MOREAU_MACRO_ISOTROPIC_ON_LINE_H

#include "macro/isotropic/divergence_constraint.h"

namespace moreau::macro
{
/// Multipliers p of the projection on the cone of a DivergenceConstraint in one dimension: isotonic regression of the face
/// velocities on every run of saturated cells (BM, section 3.1), cut off at 0 where the run ends at a wall. Between two
/// walls p is unique up to a constant: min p = 0. Every process computes it for the whole line.
Vector project_on_line(const DivergenceConstraint &B, const Vector &U, const Vector &b);
} // namespace moreau::macro

#endif
