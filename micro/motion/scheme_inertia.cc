// SPDX-License-Identifier: GPL-3.0-or-later
#include "micro/motion/mechanical_motion.h"

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
/// V = { v : a·v + c >= 0 } in the metric of M, or all velocities.
struct HalfSpace
{
  bool   active;
  Vector a;
  double c;

  /// λ >= 0 of proj(v, V) = v + M⁻¹a λ.
  double multiplier(const MassMetric &metric, const Vector &v) const
  {
    if (!active)
      return 0.;
    const double W = a.dot(metric.velocity(a)); // 1/kg
    return W > 0. ? std::max(0., -(a.dot(v) + c) / W) : 0.;
  }
};

class InertiaMotion : public MechanicalMotion
{
public:
  InertiaMotion(std::shared_ptr<const MechanicalSystem> given, const MotionParameters &given_parameters)
      : MechanicalMotion(std::move(given), given_parameters)
  {
    if (system->n_constraints() != 1)
      throw InputError("the scheme", "The system has " + std::to_string(system->n_constraints()) +
                                         " constraints, and 'inertia operator' is made for one; choose another scheme.");
  }

private:
  /// What a velocity before the projection becomes.
  struct Impact
  {
    Vector         u;
    double         lambda = 0.;
    convex::Effort effort = {1, 1}; ///< residual of speeds along a, bound in the norm of M
  };

  struct FixedPoint
  {
    Vector f;
    Impact impact;
  };

  Step step(double t_next) const override;

  Impact     impact(const MassMetric &metric, const HalfSpace &V, const Vector &hf) const;
  FixedPoint fixed_point(const MassMetric &metric, const HalfSpace &V, double t, const Vector &q, double h) const;
  double     longest_step(const MassMetric &metric, double t, const Vector &q) const;
};

/// u⁺ = -e u + (1+e) proj(u + M⁻¹hf/(1+e), V)
InertiaMotion::Impact InertiaMotion::impact(const MassMetric &metric, const HalfSpace &V, const Vector &hf) const
{
  const double e      = parameters.law.restitution;
  const Vector v      = u() + metric.velocity(hf) / (1. + e);
  const double lambda = V.multiplier(metric, v);
  if (lambda == 0.)
    return {u() + metric.velocity(hf)};
  const Vector projected = v + lambda * metric.velocity(V.a);
  // what rounding leaves of a·proj + c = 0: proj is right along the wall, and off it by as much as this tells
  const double slack = std::abs(V.a.dot(projected) + V.c), W = V.a.dot(metric.velocity(V.a));
  const double residual = slack / (V.a.norm() * std::max(v.norm(), projected.norm()) + std::abs(V.c));
  const double bound    = slack / std::sqrt(2. * W * std::max(metric.energy(v), metric.energy(projected)));
  return {-e * u() + (1. + e) * projected, lambda, {1, 1, 0., convex::Status::converged, false, residual, bound}};
}

/// w ↦ u⁺ with f(t, q, M w), from w = u. Where it does not come to rest, the first iterate: the explicit force.
InertiaMotion::FixedPoint InertiaMotion::fixed_point(const MassMetric &metric, const HalfSpace &V, const double t,
                                                     const Vector &q, const double h) const
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
      now                            = {f, impact(metric, V, h * f)};
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
  const double    d = 1e-6 * std::max(1e-3, P.norm());
  Eigen::MatrixXd derivative(n, n);
  for (Index k = 0; k < n; ++k)
    derivative.col(k) =
        (system->force(t, q, P + d * Vector::Unit(n, k)) - system->force(t, q, P - d * Vector::Unit(n, k))) / (2. * d);
  const double     L_f     = derivative.jacobiSvd().singularValues()(0);
  const Vector     bound   = Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(metric.matrix()).eigenvalues();
  constexpr double nothing = 1e-9; // differences of rounding errors
  return L_f > nothing ? std::sqrt(bound(0)) / (L_f * std::pow(bound(n - 1), 1.5)) : std::numeric_limits<double>::infinity();
}

InertiaMotion::Step InertiaMotion::step(const double t_next) const
{
  const double h = t_next - time();
  Step         step;
  step.q = q() + h * u();
  const MassMetric metric(system->mass(step.q));
  const Vector     g = system->constraints(t_next, step.q);
  const HalfSpace  V = {g(0) <= 0., system->gradients(t_next, step.q).row(0), speed_of_constraints(t_next, step.q)(0)};
  if (!std::isfinite(g(0)) || !V.a.allFinite())
    throw InputError("the system", "The constraint is not finite on the way; take a smaller time step.");

  FixedPoint         found;
  std::ostringstream method;
  if (parameters.implicit_force)
    {
      found              = fixed_point(metric, V, t_next, step.q, h);
      const double limit = longest_step(metric, t_next, step.q);
      method << "half-space, implicit force (" << found.impact.effort.n_iterations << "), which contracts for ";
      if (std::isfinite(limit))
        method << "h < " << limit << " s";
      else
        method << "any h";
    }
  else
    {
      const Vector f = force(t_next, step.q, metric.momentum(u()));
      found          = {f, impact(metric, V, h * f)};
      method << "half-space";
    }

  step.u                    = found.impact.u;
  step.force_impulse        = h * found.f;
  step.reaction             = (1. + parameters.law.restitution) * found.impact.lambda * V.a;
  step.constraint_work      = -(1. + parameters.law.restitution) * found.impact.lambda * V.c;
  step.record.n_constraints = V.active;
  step.record.n_contacts    = found.impact.lambda > 0.;
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
