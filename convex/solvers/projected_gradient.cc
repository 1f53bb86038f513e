// SPDX-License-Identifier: GPL-3.0-or-later
#include "convex/solvers/projected_gradient.h"

#include "convex/certificate.h"

#include <algorithm>
#include <cmath>

namespace moreau::convex
{
SaddlePoint ProjectedGradient::project(const ProjectionProblem &problem, const Vector *p_start) const
{
  ProjectedGradientIteration iteration(problem);
  iteration.start(p_start);
  ProjectedGradientIteration::Goal goal;
  goal.natural_residual = std::min(criterion.tolerance, 1.);
  goal.max_passes       = criterion.max_iterations;
  goal.stall_passes     = parameters.stall_passes;
  goal.watch            = criterion.watch;
  if (criterion.on_natural_residual)
    goal.natural_residual = .99 * criterion.tolerance; // the judge rounds differently

  SaddlePoint x;
  while (true)
    {
      const auto outcome = iteration.advance(goal);
      x.p                = iteration.p();
      x.u                = problem.velocity_of(x.p);
      x.n_iterations     = iteration.passes();
      x.method           = "projected gradient (" + std::to_string(x.n_iterations) + ")";
      x.status = outcome == ProjectedGradientIteration::Outcome::pass_limit ? Status::iteration_limit : Status::stagnated;
      if (outcome == ProjectedGradientIteration::Outcome::infeasible)
        {
          x.status = Status::infeasible;
          x.p      = iteration.infeasibility();
        }
      judge(problem, criterion, x);
      const double bound = x.certificate.relative_error_bound;
      if (x.converged() || outcome != ProjectedGradientIteration::Outcome::residual_met || !std::isfinite(bound) ||
          goal.natural_residual < 1e-17)
        return x;
      // the gap of the repaired u is linear in the violation, the bound its square root
      goal.natural_residual *=
          criterion.on_natural_residual ? .5 : std::clamp(std::pow(criterion.tolerance / bound, 2), 1e-4, .3);
    }
}
} // namespace moreau::convex
