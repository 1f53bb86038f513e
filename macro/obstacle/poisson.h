// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MACRO_OBSTACLE_POISSON_H
#define MOREAU_MACRO_OBSTACLE_POISSON_H

#include "convex/effort.h"
#include "geometry/box_grid.h"
#include "macro/vocabulary.h"

namespace moreau::macro
{
/// Result of solve_poisson.
struct PoissonSolution
{
  CellArray  phi;            ///< ghosts up to date, 0 outside the zone
  FaceArrays minus_gradient; ///< -∇φ·(axis direction) on faces, both sides of process borders; 0 on walls and outside
  convex::Effort effort;
};

/// div(-∇φ) = f on the saturated cells, in the staggered sense (face differences, φ = 0 half a cell behind the last
/// centre where the zone ends freely, no flux through walls), by conjugate
/// gradients with the multigrid of ObstacleMultigrid (unmasked).
///   f          per cell (outside the zone: ignored)
///   tolerance  on |f - div(-∇φ)|₂ / |f|₂
/// Walls or periodic axes all around a box that is saturated everywhere make it singular: then f without its mean is solved
/// for, and it has not converged unless the mean is 0 within the tolerance.
PoissonSolution solve_poisson(const BoxZone &zone, const CellArray &f, double tolerance);
} // namespace moreau::macro

#endif
