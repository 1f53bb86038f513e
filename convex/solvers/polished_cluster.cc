// SPDX-License-Identifier: GPL-3.0-or-later
#include "convex/solvers/polished_cluster.h"

#include "convex/solvers/interior_point.h"

namespace moreau::convex
{
Vector polished(Cluster cluster, const double tolerance, PolishReport &report)
{
  ProjectionProblem &part = cluster.problem;
  const Vector      &u = cluster.u, &p = cluster.p;
  Vector             Btp(u.size()), velocity_change(u.size());
  part.U.resize(u.size());
  part.B->apply_transpose(p, Btp);
  part.V->inverse_riesz(Btp, part.U);
  part.U += u;

  StoppingCriterion criterion;
  criterion.tolerance = tolerance;
  const SaddlePoint x = InteriorPoint(criterion).project(part, &p);
  report.effort += effort_of(x);

  Vector p_new = x.p.cwiseMax(0.);
  part.B->apply_transpose(p_new - p, Btp);
  part.V->inverse_riesz(Btp, velocity_change);
  const double change = part.V->dot(velocity_change, .5 * velocity_change - u) + part.b.dot(p_new - p);
  if (x.status == Status::infeasible || !(change < 0.))
    {
      ++report.n_rejected;
      return p;
    }
  report.dual_change += change;
  return p_new;
}
} // namespace moreau::convex
