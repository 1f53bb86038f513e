// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MICRO_MOTION_SPHERE_SCHEMES_H
#define MOREAU_MICRO_MOTION_SPHERE_SCHEMES_H

#include "micro/motion/linearised_step.h"
#include "micro/motion/rebound.h"

#include <functional>

namespace moreau::micro
{
/// What one step of spheres by scheme A or B gives.
struct SphereStep
{
  Vector         v;                ///< centres move with it: r' = r + h v (d n)
  Vector         u;                ///< velocity after the step (d n)
  Vector         impulse;          ///< of each row of the solution: M(U - u) = Bᵀ impulse
  StepSolution   solution;         ///< the last one
  double         unrebounded = 0.; ///< see Rebound
  convex::Effort effort;           ///< of all projections
};

/// ∂g/∂t of some rows (m/s): how fast obstacles and radii themselves open a gap.
using GapRates = std::function<Vector(const std::vector<StepRow> &rows)>;

/// Scheme A: v = ū = P_{K_h(r)} U (BL, eq. 1.13); u = ū for e = 0, else what rebound() makes of it.
///   U  velocity before the step plus h times the mean force (d n)
SphereStep velocity_step(const StepScene &scene, const Vector &U, const RowMultipliers &start, const GapRates &gap_rates,
                         const StepParameters &step_parameters, const ReboundParameters &rebound_parameters);

/// Scheme B: r + h v is a projection of r + h U on the true, nonconvex set of
/// configurations without overlap (BV, eq. 25-28); u = v.
///
/// K_h(r^k) about the configurations r^0 = r, r^1, ... is inside the true set, which makes r^{k+1} = the projection of r + h
/// U on it admissible and no farther from r + h U than r^k: a guard that holds from r^0 on. The limit satisfies the
/// conditions of a projection on the true set. Iterated until centres move by less than the position tolerance times the
/// smallest radius, at most 200 times.
SphereStep position_step(const StepScene &scene, const Vector &U, const RowMultipliers &start,
                         const StepParameters &parameters);
} // namespace moreau::micro

#endif
