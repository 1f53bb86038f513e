// SPDX-License-Identifier: GPL-3.0-or-later
#include "micro/motion/sphere_schemes.h"

namespace moreau::micro
{
SphereStep velocity_step(const StepScene &scene, const Vector &U, const RowMultipliers &start, const GapRates &gap_rates,
                         const StepParameters &step_parameters, const ReboundParameters &rebound_parameters)
{
  SphereStep step;
  step.solution         = linearised_step(scene, U, start, step_parameters);
  step.status           = step.solution.x.status;
  step.natural_residual = step.solution.x.certificate.natural_residual;
  step.v                = step.solution.x.u;
  step.u                = step.v;
  step.impulse          = step.solution.x.p;
  if (rebound_parameters.restitution > 0. && step.status != convex::Status::infeasible)
    {
      Rebound after = rebound(step.solution, scene.m, scene.q.rows(), U, gap_rates(step.solution.rows), step_parameters,
                              rebound_parameters);
      step.u        = std::move(after.u);
      step.impulse  = std::move(after.impulse);
      if (step.status == convex::Status::converged)
        step.status = after.status;
      step.natural_residual = std::max(step.natural_residual, after.natural_residual);
      step.collapsed        = after.collapsed;
      step.solution.n_projections += after.n_projections;
      step.solution.n_iterations += after.n_iterations;
    }
  return step;
}
} // namespace moreau::micro
