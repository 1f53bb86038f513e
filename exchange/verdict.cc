// SPDX-License-Identifier: GPL-3.0-or-later
#include "exchange/verdict.h"

#include "convex/certificate.h"
#include "convex/solvers/make_projector.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace moreau::exchange
{
Verdict verdict(const ProjectionData &data, const Answer &answer, const convex::StoppingCriterion &criterion,
                const std::string &file)
{
  const Posed                      posed(data, file);
  const convex::ProjectionProblem &problem = posed.problem();
  convex::StoppingCriterion        finer   = criterion;
  finer.tolerance *= .1;

  Verdict result;
  result.own         = convex::make_projector("automatic", finer)->project(problem);
  result.is_own      = answer.is_empty();
  result.u_was_given = answer.u.size() > 0;
  result.p_was_given = answer.p.size() > 0;
  if (result.own.status == convex::Status::infeasible)
    {
      result.own.u = posed.velocity(result.own.u);
      return result;
    }
  const Vector p     = result.p_was_given ? answer.p : result.own.p;
  const Vector u     = result.u_was_given ? posed.to_coordinates(answer.u)
                       : result.is_own    ? result.own.u
                                          : problem.velocity_of(p);
  result.certificate = convex::certify(problem, u, p);
  const double scale = result.certificate.scale, infinite = std::numeric_limits<double>::infinity();
  const auto   of_own = result.own.certificate;
  // of the quotient: squares of velocities may be no numbers
  result.distance = problem.V->norm((u - result.own.u) / (scale > 0. ? scale : 1.));
  // a distance beyond the largest double says nothing
  result.at_least =
      of_own.guaranteed && std::isfinite(result.distance) ? std::max(0., result.distance - of_own.relative_error_bound) : 0.;
  const double directly = result.certificate.guaranteed ? result.certificate.relative_error_bound : infinite;
  const double by_own   = of_own.guaranteed ? result.distance + of_own.relative_error_bound : infinite;
  result.guaranteed     = std::min(directly, by_own) < infinite;
  result.at_most        = result.guaranteed
                              ? std::min(directly, by_own)
                              : std::max(result.certificate.relative_error_bound, result.distance + of_own.relative_error_bound);
  result.own.u          = posed.velocity(result.own.u);
  return result;
}
} // namespace moreau::exchange
