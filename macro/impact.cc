// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/impact.h"

#include <algorithm>

namespace moreau::macro
{
convex::Impact impact(const Discretization &mesh, const convex::Law &law, const convex::StoppingCriterion &criterion,
                      const std::string &solver)
{
  return convex::single_impact(mesh.problem(), *mesh.projector(solver, criterion), law, mesh.p_start());
}

TotalBound bound_of_impact(const Discretization &mesh, const convex::Law &law, const convex::StoppingCriterion &criterion,
                           convex::Impact &impact, const Progress &progress)
{
  TotalBound bound = mesh.total_bound(impact.projection, progress);
  // of repeated impacts no bound is known that could tell what is accurate enough
  if (impact.effort.n_projections == 1)
    {
      convex::SaddlePoint &x = impact.projection;
      judge(criterion, bound, x);
      impact.worst.demanded = x.certificate.demanded;
      impact.effort.status  = x.status;

      const double factor = 1. + law.restitution;
      bound.eta *= factor;
      for (double *const square : {&bound.mismatch, &bound.work, &bound.oscillation})
        *square *= factor * factor;
      bound.indicator *= factor * factor;
    }
  else if (impact.effort.n_projections > 1)
    {
      bound.estimated  = bound.available || bound.estimated;
      bound.available  = false;
      bound.guaranteed = false;
      bound.remark += (bound.remark.empty() ? "" : " ") +
                      std::string("The impact was repeated: an error is known of its first projection only.");
    }
  // a uniform U that runs into a wall has no spread; both bounds are relative to the same
  bound.scale = std::max(bound.scale, impact.projection.certificate.scale);
  // the spread of a uniform U is rounding
  const convex::ProjectionProblem &problem = mesh.problem();
  if (const double size = problem.V->norm(problem.U); bound.scale < 1e-12 * size)
    {
      bound.scale         = size;
      bound.scale_is_of_U = true;
    }
  bound.relative = bound.scale > 0. ? bound.eta / bound.scale : bound.eta;
  return bound;
}
} // namespace moreau::macro
