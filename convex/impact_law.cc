// SPDX-License-Identifier: GPL-3.0-or-later
#include "convex/impact_law.h"

#include "convex/certificate.h"
#include "convex/clock.h"
#include "convex/frame.h"
#include "convex/input_error.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <limits>
#include <sstream>

namespace moreau::convex
{
namespace
{
void check_input(const ProjectionProblem &problem, const double restitution)
{
  if (!(0. <= restitution && restitution <= 1.))
    {
      std::ostringstream message;
      message << "The restitution is " << restitution << ", but it must lie in [0, 1].";
      throw InputError("the restitution", message.str());
    }
  // all processes throw, or none: they wait for each other
  if (problem.V->max_over_processes(problem.U.allFinite() ? 0. : 1.) == 0.)
    return;
  for (Index k = 0; k < problem.U.size(); ++k)
    if (!std::isfinite(problem.U(k)))
      throw InputError("the velocity", "Entry " + std::to_string(k) + " of the velocity U is " +
                                           std::to_string(problem.U(k)) + ", but it must be a finite number.");
  throw InputError("the velocity", "An entry of the velocity U on another process is no finite number, but it must be one.");
}

double rounding(const ProjectionProblem &problem)
{
  return 64. * std::numeric_limits<double>::epsilon() *
         problem.V->max_over_processes(std::max(max_abs(problem.U), max_abs(problem.b)));
}

/// What a projection leaves undecided about the speed of a row (m/s).
double undecided_speed(const double typical_speed, const Certificate &certificate)
{
  return typical_speed * std::max(certificate.natural_residual, certificate.relative_error_bound);
}

/// The certificate with its relative numbers in units of another problem: of its scale, and of speeds that are `speed_ratio`
/// times smaller.
Certificate rescaled(Certificate certificate, const double scale, const double speed_ratio)
{
  certificate.primal_infeasibility *= speed_ratio;
  certificate.dual_infeasibility *= speed_ratio;
  certificate.natural_residual *= speed_ratio;
  if (scale > 0. && certificate.scale > 0.)
    {
      const double ratio = certificate.scale / scale;
      certificate.relative_error_bound *= ratio;
      certificate.momentum *= ratio;
      certificate.round_off_floor *= ratio;
      certificate.gap *= ratio * ratio;
      certificate.complementarity *= ratio * ratio;
      certificate.scale = scale;
    }
  return certificate;
}

/// Every number that can tell an error is below `demanded`; NaN is not.
bool sufficient(const Certificate &certificate, const double demanded)
{
  return certificate.relative_error_bound <= demanded && certificate.natural_residual <= demanded &&
         certificate.primal_infeasibility <= demanded;
}

/// Keeps the certificate with the larger bound; the result is only guaranteed if all are.
void keep_worst(Certificate &worst, const Certificate &certificate)
{
  const bool guaranteed = worst.guaranteed && certificate.guaranteed;
  // written so that NaN is worse than any number
  if (!(certificate.relative_error_bound <= worst.relative_error_bound))
    worst = certificate;
  worst.guaranteed = guaranteed;
}

/// Of an admissible U that hardly differs from its mean residuals are rounding over rounding: what is below `rounding` (m/s)
/// is none.
void leave_out_rounding(const ProjectionProblem &problem, const double rounding, SaddlePoint &x)
{
  const double speed = x.converged() ? 0. : typical_speed(problem);
  if (speed == 0.)
    return;
  for (double *const residual : {&x.certificate.primal_infeasibility, &x.certificate.natural_residual})
    if (*residual * speed <= rounding)
      *residual = 0.;
  if (StoppingCriterion().met_by(x.certificate))
    x.status = Status::converged;
}

/// Of a U that is admissible.
class Standing : public ConeProjector
{
public:
  explicit Standing(const double rounding) : rounding(rounding) {}

  SaddlePoint project(const ProjectionProblem &problem, const Vector *) const override
  {
    SaddlePoint x;
    x.u      = problem.U;
    x.p      = Vector::Zero(problem.n_constraints());
    x.method = "none, U is admissible";
    judge(problem, StoppingCriterion(), x);
    leave_out_rounding(problem, rounding, x);
    return x;
  }

private:
  double rounding; ///< m/s
};

/// post_impact(), or its first application alone.
Impact apply(const ProjectionProblem &problem, const ConeProjector &projector, const double restitution,
             const unsigned int max_impacts, const Vector *const p_start, const SlowApproach &slow, const bool once)
{
  check_input(problem, restitution);

  Impact impact;
  impact.u_plus  = problem.U;
  impact.impulse = Vector::Zero(problem.n_constraints());

  const double negligible = std::max(rounding(problem), slow.negligible);
  double       undecided = negligible, approach = approach_speed(problem, problem.U);
  const auto   may_rest = [&] { return problem.V->max_over_processes((problem.b.array() >= 0.).all() ? 0. : 1.) == 0.; };
  if (approach <= negligible || (is_uniform(problem) && may_rest()))
    {
      impact.projection   = project_in_frame(Standing(negligible), problem);
      impact.projection.u = problem.U; // a change of frame rounds
      impact.worst        = impact.projection.certificate;
      impact.effort.end_with(impact.projection.status, impact.worst);
      return impact;
    }

  Effort           &effort      = impact.effort;
  const double      first_speed = typical_speed(problem);
  ProjectionProblem now         = problem; // with U the velocity before each application
  Vector            before;                // U of the application before
  bool              returns = false;       // to a velocity that was there two applications ago: it would do so for ever
  while (true)
    {
      const bool is_first = effort.n_projections == 0;
      effort.collapsed    = effort.n_projections == max_impacts || returns;

      const bool        rests = slow.resting > 0. && (restitution == 0. || approach <= slow.resting);
      const double      e     = effort.collapsed || rests ? 0. : restitution;
      const double      speed = is_first ? first_speed : typical_speed(now);
      const auto        start = Clock::now();
      SaddlePoint       x     = project_in_frame(projector, now, is_first ? p_start : nullptr);
      Effort            spent = effort_of(x, seconds_since(start));
      const Certificate first = is_first ? x.certificate : impact.projection.certificate;
      const Certificate found = rescaled(x.certificate, first.scale, speed / first_speed);
      if (is_first)
        impact.worst = x.certificate;
      else
        keep_worst(impact.worst, found);
      const bool feasible = x.status != Status::infeasible;
      // a repetition that projects little more than rounding cannot be certified relative to its own size, and need not be
      if (!is_first && feasible && sufficient(found, first.demanded))
        spent.status = Status::converged;
      effort += spent;
      effort.end_with(effort.status, impact.worst);
      if (feasible)
        {
          undecided     = std::max(undecided, undecided_speed(speed, x.certificate));
          impact.u_plus = now.U - (1. + e) * (now.U - x.u);
          impact.impulse += (1. + e) * x.p;
          impact.n_rebounds += e > 0.;
        }
      if (is_first)
        impact.projection = std::move(x);
      // the projection of a projection is itself, but for rounding
      if (!feasible || effort.collapsed || rests || (restitution == 0. && effort.converged()))
        return impact;
      approach = approach_speed(problem, impact.u_plus);
      // written so that NaN ends the loop
      if (!(approach > (slow.resting > 0. ? negligible : std::pow(1. + e, 2) * undecided)))
        return impact;
      if (once)
        {
          impact.approach = approach;
          return impact;
        }
      returns = !is_first && problem.V->max_over_processes(max_abs(impact.u_plus - before)) <=
                                 1e-12 * problem.V->max_over_processes(max_abs(before));
      before = std::exchange(now.U, impact.u_plus);
    }
}
} // namespace

Impact post_impact(const ProjectionProblem &problem, const ConeProjector &projector, const double restitution,
                   const unsigned int max_impacts, const Vector *const p_start, const SlowApproach &slow)
{
  return apply(problem, projector, restitution, max_impacts, p_start, slow, false);
}

Impact single_impact(const ProjectionProblem &problem, const ConeProjector &projector, const Law &law,
                     const Vector *const p_start)
{
  return apply(problem, projector, law.restitution, law.max_repetitions, p_start, {}, law.max_repetitions == 1);
}

double impact_factor(const ProjectionProblem &problem, const Vector &u, const Vector &u_plus)
{
  const VelocitySpace &V      = *problem.V;
  const Vector         kick   = problem.U - u;
  const double         square = V.dot(kick, kick);
  const double         factor = square > 0. ? V.dot(problem.U - u_plus, kick) / square : 1.;
  const double         size   = V.max_over_processes(max_abs(problem.U) + max_abs(u));
  const double         rest   = V.max_over_processes(max_abs(problem.U - u_plus - factor * kick));
  return rest <= 1e-12 * size ? factor : 0.;
}
} // namespace moreau::convex
