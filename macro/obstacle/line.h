// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MACRO_OBSTACLE_LINE_H
#define MOREAU_MACRO_OBSTACLE_LINE_H

#include "macro/obstacle/poisson.h"
#include "macro/isotropic/divergence_constraint.h"

/// One dimension, where everything has a direct solution: every process computes it for the whole line.
namespace moreau::macro
{
/// One value per own cell (or per face, those at the upper end of the box with the last process) -> those of all processes.
Vector gathered(const Processes &processes, const Vector &own);

/// Multipliers p of the projection on the cone of a DivergenceConstraint: isotonic regression of the face velocities on
/// every run of saturated cells (BM, section 3.1), cut off at 0 where the run
/// ends at a wall. Between two walls p is unique up to a constant: min p = 0.
Vector project_on_line(const DivergenceConstraint &B, const Vector &U, const Vector &b);

/// solve_poisson in one dimension: flux and φ are running sums.
PoissonSolution solve_poisson_on_line(const BoxZone &zone, const CellArray &f, double tolerance);
} // namespace moreau::macro

#endif
