// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MICRO_MOTION_REBOUND_H
#define MOREAU_MICRO_MOTION_REBOUND_H

#include "convex/impact_law.h"
#include "micro/motion/linearised_step.h"

namespace moreau::micro
{
/// Which contacts of a step rebound, and how.
struct ReboundParameters
{
  convex::Law law;
  double      resting_speed; ///< m/s; clusters of pressed contacts that all approach more slowly stay together; < 0: as
                             ///< fast as forces press them, see PressedClusters
  Vector pushed;             ///< h f of the step (d n), m/s
};

struct Rebound
{
  Vector u;       ///< velocity after the step (d n)
  Vector impulse; ///< of each row (kg m/s): M(U - u) = Bᵀ impulse
  /// Of pressed contacts that stayed together (J): Σ ½ μ (a² - a'²), a the approach without what forces added in the step,
  /// a' what is left of it, μ the reduced mass of the two. What would have rebounded, were they not at rest.
  double         unrebounded = 0.;
  convex::Effort effort;
};

/// The velocity with which spheres leave a step that moved them with ū = P_{K_h} U: the impact law (BM, eq. 3-4), repeated,
/// applied to U on the cone b = 0 of the contacts with p > 0. (The law on K_h itself would give a rebound anywhere between
/// -v and v, depending on the gap.) Done for each cluster of pressed contacts by itself; clusters at rest keep ū. A contact
/// is pressed where p changes a velocity by more than the step's tolerance times the largest such change.
///   gap_rates  ∂g/∂t of each row (m/s): rows rebound relative to obstacles that move and radii that grow
Rebound rebound(const StepSolution &step, const Vector &m, Index dim, const Vector &U, const Vector &gap_rates,
                const StepParameters &step_parameters, const ReboundParameters &parameters);
} // namespace moreau::micro

#endif
