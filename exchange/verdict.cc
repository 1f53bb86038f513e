// SPDX-License-Identifier: GPL-3.0-or-later
#include "exchange/verdict.h"

#include "convex/certificate.h"
#include "convex/solvers/make_projector.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace moreau::exchange
{
namespace
{
constexpr double infinite = std::numeric_limits<double>::infinity();

/// max |min(√W p, (b - Bv)/√W)| over the rows: 0 where p and v, which is made of it, solve the problem.
double residual_of_rows(const convex::ProjectionProblem &problem, const Vector &p, const Vector &v)
{
  const Vector W = convex::delassus_diagonal(problem), b = problem.right_hand_side();
  Vector       Bv(problem.n_constraints());
  problem.B->apply(v, Bv);
  double largest = 0.;
  for (Index c = 0; c < p.size(); ++c)
    {
      const double root = W(c) > 0. ? std::sqrt(W(c)) : 1., here = std::abs(std::min(root * p(c), (b(c) - Bv(c)) / root));
      largest = std::isfinite(here) ? std::max(largest, here) : infinite;
    }
  return largest;
}
} // namespace

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
  const double scale = result.certificate.scale, unit = scale > 0. ? scale : 1.;
  const auto   of_own = result.own.certificate;
  // of the quotient: squares of velocities may be no numbers
  const auto distance_of_own = [&](const Vector &v) { return problem.V->norm((v - result.own.u) / unit); };
  result.distance            = distance_of_own(u);
  // a distance beyond the largest double says nothing
  result.at_least =
      of_own.guaranteed && std::isfinite(result.distance) ? std::max(0., result.distance - of_own.relative_error_bound) : 0.;
  const double directly = result.certificate.guaranteed ? result.certificate.relative_error_bound : infinite;
  const double by_own   = of_own.guaranteed ? result.distance + of_own.relative_error_bound : infinite;
  result.guaranteed     = std::min(directly, by_own) < infinite;
  result.at_most        = result.guaranteed
                              ? std::min(directly, by_own)
                              : std::max(result.certificate.relative_error_bound, result.distance + of_own.relative_error_bound);
  const double beside   = answer.beside / unit;
  if (result.p_was_given)
    {
      const Vector u_p        = problem.velocity_of(p);
      const double of_pair    = p.minCoeff() >= 0. ? directly : infinite; // which bounds what p⁺ makes
      const double of_impulse = std::min(of_pair, distance_of_own(u_p) + of_own.relative_error_bound);
      result.of_multipliers   = std::max(of_impulse + beside, residual_of_rows(problem, p, u_p) / unit);
    }
  if (!result.u_was_given) // then impulses beside p move the bodies, too
    {
      result.at_least = std::max({0., result.at_least - beside, beside - result.at_most});
      result.at_most += beside;
    }
  result.own.u = posed.velocity(result.own.u);
  return result;
}
} // namespace moreau::exchange
