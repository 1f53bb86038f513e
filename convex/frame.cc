// SPDX-License-Identifier: GPL-3.0-or-later
#include "convex/frame.h"

#include "convex/certificate.h"

#include <algorithm>
#include <limits>

namespace moreau::convex
{
namespace
{
constexpr double rounding_of_frames = 64. * epsilon;

/// Whether every row is 0 for this velocity, as far as rounding lets that be seen: a row is at most √W_cc |v|.
bool is_unnoticed(const ProjectionProblem &problem, const Vector &v)
{
  const VelocitySpace &V = *problem.V;
  Vector               Bv(problem.n_constraints());
  problem.B->apply(v, Bv);
  const Vector largest = delassus_diagonal(problem).cwiseSqrt();
  return V.max_over_processes((Bv.array().abs() <= rounding_of_frames * V.norm(v) * largest.array()).all() ? 0. : 1.) == 0.;
}

constexpr double of_sums = 1e-12; ///< means are sums, and fields are averaged over small parts with less precision

/// Whether a U that differs from its mean by so much is at rest in its frame, but for rounding that relative bounds would
/// refer to.
bool is_at_rest(const VelocitySpace &V, const Vector &difference, const Vector &mean)
{
  return V.max_over_processes(max_abs(difference)) <= of_sums * V.max_over_processes(max_abs(mean)) &&
         V.norm(difference) <= rounding_of_frames * V.norm(mean);
}

/// Adds an error, relative to the scale, that the certificate of another frame does not know of.
void add_error(const VelocitySpace &V, const double error, SaddlePoint &x)
{
  constexpr double most = 1e-4; // as StoppingCriterion::demanded()
  Certificate     &c    = x.certificate;
  c.relative_error_bound += error;
  c.round_off_floor += error;
  c.demanded = std::max(c.demanded, std::min(c.demanded + error, most));
  if (x.converged() && c.relative_error_bound > c.demanded)
    x.status = Status::stagnated;
  const double bound = c.relative_error_bound * (c.scale > 0. ? c.scale : 1.), u_size = V.norm(x.u - V.mean(x.u));
  c.bound_relative_to_u = bound < u_size ? bound / u_size : std::numeric_limits<double>::infinity();
}
} // namespace

SaddlePoint project_in_frame(const ConeProjector &projector, const ProjectionProblem &problem, const Vector *const p_start)
{
  constexpr double     fast = 100.; // times what differs; slower frames cost less than a digit
  const VelocitySpace &V    = *problem.V;
  Vector               mean = V.mean(problem.U);
  const double speed = V.max_over_processes(max_abs(mean)), differs = V.max_over_processes(max_abs(problem.U - mean));
  // written so that NaN stays where it is
  if (!(speed > fast * differs && is_unnoticed(problem, mean)))
    return projector.project(problem, p_start);

  if (differs <= of_sums * speed)
    mean += V.mean(problem.U - mean);
  ProjectionProblem at_rest = problem;
  at_rest.U                 = problem.U - mean;
  if (is_at_rest(V, at_rest.U, mean))
    at_rest.U.setZero();
  SaddlePoint x = projector.project(at_rest, p_start);
  if (x.status != Status::infeasible && x.certificate.scale > 0.)
    add_error(V, rounding_of_frames * V.norm(mean) / x.certificate.scale, x);
  x.u += mean;
  return x;
}

bool is_uniform(const ProjectionProblem &problem)
{
  const VelocitySpace &V     = *problem.V;
  Vector               mean  = V.mean(problem.U);
  const double         speed = V.max_over_processes(max_abs(mean));
  if (!(speed > 0. && V.max_over_processes(max_abs(problem.U - mean)) <= of_sums * speed)) // as hardly any is
    return false;
  mean += V.mean(problem.U - mean);
  return is_at_rest(V, problem.U - mean, mean) && is_unnoticed(problem, mean);
}
} // namespace moreau::convex
