// SPDX-License-Identifier: GPL-3.0-or-later
#include "micro/motion/mechanical_projection.h"

#include "convex/input_error.h"

#include <Eigen/Eigenvalues>
#include <Eigen/SVD>

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>

namespace moreau::micro
{
namespace
{
/// V = { v : a_i·v + c_i >= 0 for the constraints that are active }.
struct AdmissibleVelocities
{
  std::vector<Index> active; ///< numbers of constraints
  Eigen::MatrixXd    a;      ///< ∇g, a row for each of them
  Vector             c;      ///< ∂g/∂t

  /// proj(v, V) = v + M⁻¹ Σ a_i λ_i in the metric of M, λ >= 0.
  struct Projection
  {
    Vector         u, lambda;
    convex::Effort effort = {1, 1}; ///< residual of speeds along a, bound in the norm of M
  };

  /// Of one constraint, by its formula (DMP, Lemma 11).
  Projection on_half_space(const MassMetric &metric, const Vector &v) const;
};

AdmissibleVelocities::Projection AdmissibleVelocities::on_half_space(const MassMetric &metric, const Vector &v) const
{
  const Vector normal = a.row(0);
  const double speed = c(0), W = normal.dot(metric.velocity(normal)); // 1/kg
  const double lambda = W > 0. ? std::max(0., -(normal.dot(v) + speed) / W) : 0.;
  Projection   result = {v, Vector::Constant(1, lambda)};
  if (lambda == 0.)
    return result;
  result.u += lambda * metric.velocity(normal);
  // what rounding leaves of a·proj + c = 0: proj is right along the wall, and off it by as much as this tells
  const double slack    = std::abs(normal.dot(result.u) + speed);
  const auto   relative = [&](const double size) { return size > 1e-150 ? slack / size : 0.; }; // slower is at rest
  const double residual = relative(normal.norm() * std::max(v.stableNorm(), result.u.stableNorm()) + std::abs(speed));
  const double bound =
      relative(std::sqrt(W) * std::max(metric.scaled(v).stableNorm(), metric.scaled(result.u).stableNorm()));
  result.effort = {1, 1, 0., convex::Status::converged, false, residual, bound};
  return result;
}

class InertiaMotion : public MechanicalMotion
{
public:
  InertiaMotion(std::shared_ptr<const MechanicalSystem> given, const MotionParameters &given_parameters)
      : MechanicalMotion(std::move(given), given_parameters), projector(velocity_projector(parameters))
  {}

private:
  /// What a velocity before the projection becomes.
  struct Impact
  {
    Vector         u, lambda; ///< λ: of active constraints
    convex::Effort effort = {1, 1};
  };

  struct FixedPoint
  {
    Vector f;
    Impact impact;
  };

  Step step(double t_next) const override;

  using V_q = AdmissibleVelocities;
  V_q             admissible_velocities(double t_next, const Vector &q) const;
  V_q::Projection projected(const MassMetric &metric, const V_q &V, const Vector &v, double t_next) const;
  Impact          impact(const MassMetric &metric, const V_q &V, const Vector &hf, double t_next) const;
  FixedPoint      fixed_point(const MassMetric &metric, const V_q &V, double t, const Vector &q, double h) const;
  double          longest_step(const MassMetric &metric, double t, const Vector &q) const;

  std::unique_ptr<convex::ConeProjector> projector; ///< on several constraints at once
};

AdmissibleVelocities InertiaMotion::admissible_velocities(const double t_next, const Vector &q) const
{
  const Vector          g         = system->constraints(t_next, q);
  const Eigen::MatrixXd gradients = system->gradients(t_next, q);
  if (!g.allFinite() || !gradients.allFinite())
    throw InputError("the system", "A constraint is not finite on the way; take a smaller time step.");
  V_q V;
  for (Index i = 0; i < g.size(); ++i)
    if (g(i) <= 0.)
      V.active.push_back(i);
  V.a = gradients(V.active, Eigen::all);
  V.c = speed_of_constraints(t_next, q)(V.active);
  return V;
}

AdmissibleVelocities::Projection InertiaMotion::projected(const MassMetric &metric, const V_q &V, const Vector &v,
                                                          const double t_next) const
{
  if (V.active.empty())
    return {v, Vector(0)};
  if (V.active.size() == 1)
    return V.on_half_space(metric, v);
  const double              unit = convex::max_abs(v) > 0. ? convex::max_abs(v) : 1.; // a certificate squares speeds
  const convex::SaddlePoint x    = projector->project(velocity_problem(metric, V.a, V.c / unit, v / unit));
  if (x.status == convex::Status::infeasible)
    throw_no_velocity(x.p, V.active, t_next);
  return {unit * metric.unscaled(x.u), unit * x.p, convex::effort_of(x)};
}

/// u⁺ = -e u + (1+e) proj(u + M⁻¹hf/(1+e), V)
InertiaMotion::Impact InertiaMotion::impact(const MassMetric &metric, const V_q &V, const Vector &hf,
                                            const double t_next) const
{
  const double          e = parameters.law.restitution;
  const V_q::Projection P = projected(metric, V, u() + metric.velocity(hf) / (1. + e), t_next);
  if (P.lambda.size() == 0 || P.lambda.maxCoeff() == 0.)
    return {u() + metric.velocity(hf), P.lambda, P.effort};
  return {-e * u() + (1. + e) * P.u, P.lambda, P.effort};
}

/// w ↦ u⁺ with f(t, q, M w), from w = u. Where it does not come to rest, the first iterate: the explicit force.
InertiaMotion::FixedPoint InertiaMotion::fixed_point(const MassMetric &metric, const V_q &V, const double t, const Vector &q,
                                                     const double h) const
{
  constexpr unsigned int max_iterations = 200;
  constexpr double       at_rest        = 8. * std::numeric_limits<double>::epsilon();
  FixedPoint             first, now;
  Vector                 w = u();
  for (unsigned int k = 0; k < max_iterations; ++k)
    {
      const Vector f = k == 0 ? force(t, q, metric.momentum(w)) : system->force(t, q, metric.momentum(w));
      if (!f.allFinite())
        break;
      now                            = {f, impact(metric, V, h * f, t)};
      now.impact.effort.n_iterations = k + 1;
      if (k == 0)
        first = now;
      const double change = (now.impact.u - w).norm();
      if (change <= at_rest * now.impact.u.norm())
        return now;
      if (!std::isfinite(change))
        break;
      w = now.impact.u;
    }
  first.impact.effort.n_iterations = max_iterations;
  first.impact.effort.status       = convex::Status::iteration_limit;
  return first;
}

/// √α/(L_f β^{3/2}) (DMP, eq. 11), below which the fixed point contracts; infinite where f does not depend on P.
double InertiaMotion::longest_step(const MassMetric &metric, const double t, const Vector &q) const
{
  if (const auto known = system->contraction_bounds())
    return known->L_f > 0. ? std::sqrt(known->alpha) / (known->L_f * std::pow(known->beta, 1.5))
                           : std::numeric_limits<double>::infinity();
  const Index     n = q.size();
  const Vector    P = metric.momentum(u());
  const double    d = P.isZero(0.) ? 1. : 1e-6 * P.norm();
  Eigen::MatrixXd derivative(n, n);
  double          size = 0.; // of f (N)
  for (Index k = 0; k < n; ++k)
    {
      const Vector above = system->force(t, q, P + d * Vector::Unit(n, k)),
                   below = system->force(t, q, P - d * Vector::Unit(n, k));
      derivative.col(k)  = (above - below) / (2. * d);
      size               = std::max({size, above.norm(), below.norm()});
    }
  const double L_f     = derivative.jacobiSvd().singularValues()(0);
  const Vector bound   = Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(metric.matrix()).eigenvalues();
  const double nothing = 8. * convex::epsilon * size / d; // differences of rounding errors
  return L_f > nothing ? std::sqrt(bound(0)) / (L_f * std::pow(bound(n - 1), 1.5)) : std::numeric_limits<double>::infinity();
}

InertiaMotion::Step InertiaMotion::step(const double t_next) const
{
  const double h = t_next - time();
  Step         step;
  step.q = q() + h * u();
  const MassMetric metric(system->mass(step.q));
  const V_q        V = admissible_velocities(t_next, step.q);

  const std::string  kind = V.active.size() > 1 ? "half-spaces" : "half-space";
  FixedPoint         found;
  std::ostringstream method;
  if (parameters.implicit_force)
    {
      found              = fixed_point(metric, V, t_next, step.q, h);
      const double limit = longest_step(metric, t_next, step.q);
      method << kind << ", implicit force (" << found.impact.effort.n_iterations << "), which contracts for ";
      if (std::isfinite(limit))
        method << "h < " << limit << " s";
      else
        method << "any h";
    }
  else
    {
      const Vector f = force(t_next, step.q, metric.momentum(u()));
      found          = {f, impact(metric, V, h * f, t_next)};
      method << kind;
    }

  step.u                    = found.impact.u;
  step.force_impulse        = h * found.f;
  const double twice        = 1. + parameters.law.restitution;
  step.reaction             = twice * (V.a.transpose() * found.impact.lambda);
  step.constraint_work      = -twice * found.impact.lambda.dot(V.c);
  step.record.n_constraints = static_cast<Index>(V.active.size());
  step.record.n_contacts    = (found.impact.lambda.array() > 0.).count();
  step.record.effort        = found.impact.effort;
  step.record.method        = method.str();
  return step;
}
} // namespace

std::unique_ptr<Motion> make_inertia_motion(std::shared_ptr<const MechanicalSystem> system,
                                            const MotionParameters                 &parameters)
{
  return std::make_unique<InertiaMotion>(std::move(system), parameters);
}
} // namespace moreau::micro
