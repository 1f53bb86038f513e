// SPDX-License-Identifier: GPL-3.0-or-later
#include "micro/motion/sphere_schemes.h"

namespace moreau::micro
{
SphereStep velocity_step(const StepScene &scene, const Vector &U, const RowMultipliers &start, const GapRates &gap_rates,
                         const StepParameters &step_parameters, const ReboundParameters &rebound_parameters)
{
  SphereStep step;
  step.solution = linearised_step(scene, U, start, step_parameters);
  step.effort   = step.solution.effort;
  step.v        = step.solution.x.u;
  step.u        = step.v;
  step.impulse  = step.solution.x.p;
  if (step.solution.held.size() > 0)
    step.impulse -= step.solution.held;
  if (rebound_parameters.law.restitution > 0. && step.effort.status != convex::Status::infeasible)
    {
      Rebound after    = rebound(step.solution, scene.m, scene.q.rows(), U, gap_rates(step.solution.rows), step_parameters,
                                 rebound_parameters);
      step.u           = std::move(after.u);
      step.impulse     = std::move(after.impulse);
      step.unrebounded = after.unrebounded;
      step.effort += after.effort;
    }
  return step;
}
} // namespace moreau::micro
