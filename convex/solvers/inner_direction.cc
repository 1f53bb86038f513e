// SPDX-License-Identifier: GPL-3.0-or-later
#include "convex/solvers/inner_direction.h"

#include "convex/certificate.h"
#include "convex/solvers/interior_point.h"

namespace moreau::convex
{
Expansion inner_direction(const ProjectionProblem &problem, const Watch &watch)
{
  if (problem.n_constraints() == 0)
    return {};
  ProjectionProblem inner;
  inner.V = problem.V;
  inner.B = problem.B;
  inner.U = Vector::Zero(problem.n_unknowns());
  inner.b = -delassus_diagonal(problem).cwiseSqrt();
  StoppingCriterion roughly;
  roughly.watch          = watch;
  roughly.tolerance      = 1e-2; // any w serves; the shortest moves least
  roughly.max_iterations = 60;
  Vector       w         = InteriorPoint(roughly).project(inner).u;
  const Vector twice     = 2. * w;
  Vector       Bw(problem.n_constraints());
  problem.B->apply(twice, Bw);
  // every row by half of what was asked for at least: w is inside by more than rounding
  if (!w.allFinite() || (Bw - inner.b).maxCoeff() > 0.)
    return {};
  Expansion result;
  result.w = std::move(w);
  result.part_of_unknown.assign(problem.n_unknowns(), 0);
  result.part_of_row.assign(problem.n_constraints(), 0);
  result.n_parts = 1;
  return result;
}
} // namespace moreau::convex
