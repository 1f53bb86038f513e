// SPDX-License-Identifier: GPL-3.0-or-later
#include "micro/impact.h"

#include "convex/input_error.h"
#include "convex/solvers/make_projector.h"
#include "micro/blocking_chain.h"
#include "micro/impact_problem.h"

#include <utility>

namespace moreau::micro
{
namespace
{
/// Whether a stress goes through the sides of a periodic box: any that is more than rounding.
bool presses_image(const ContactGraph &graph, const Vector &p)
{
  for (Index c = 0; c < graph.n_contacts(); ++c)
    if (graph.contacts[c].image != 0 && p(c) > 1e-6 * p.maxCoeff())
      return true;
  return false;
}
} // namespace

void refuse_squeeze(const ContactGraph &graph, const std::vector<Wall> &walls, const Vector &p)
{
  if (presses_image(graph, p))
    throw InputError("the mean gradient", "The box cannot change its shape as asked: " + blocking_chain(graph, walls, p) +
                                              " across its period; change it or leave gaps.");
  refuse_walls(graph, walls, p);
}

convex::Impact apply_law(const convex::ProjectionProblem &problem, const ContactGraph &graph, const std::vector<Wall> &walls,
                         const ImpactOptions &options, const Vector *const p_start)
{
  const auto     projector = convex::make_projector(options.solver, options.criterion);
  convex::Impact result    = convex::single_impact(problem, *projector, options.law, p_start);
  if (result.effort.status == convex::Status::infeasible)
    refuse_squeeze(graph, walls, result.projection.p);
  return result;
}

SphereImpact impact(const Spheres &spheres, const std::vector<Wall> &walls, ContactGraph graph, const Vector &U,
                    const ImpactOptions &options, const Vector *const p_start)
{
  SphereImpact x{std::move(graph), {}, {}};
  x.problem = impact_problem(spheres, walls, x.graph, U, options.mean_gradient);
  x.law     = apply_law(x.problem, x.graph, walls, options, p_start);
  return x;
}

SphereImpact impact(const Spheres &spheres, const std::vector<Wall> &walls, const Vector &U, const ImpactOptions &options,
                    const Vector *const p_start)
{
  return impact(spheres, walls, contact_graph(spheres, walls, options.contact_tolerance, options.box), U, options, p_start);
}
} // namespace moreau::micro
