// SPDX-License-Identifier: GPL-3.0-or-later
// Schemes A and B for systems with few coordinates and a constant mass.
#include "micro/motion/mechanical_projection.h"

#include "convex/clock.h"
#include "convex/impact_law.h"
#include "convex/input_error.h"

#include <Eigen/QR>

#include <algorithm>
#include <limits>
#include <numeric>
#include <sstream>

namespace moreau::micro
{
namespace
{
void require_constant_mass(const MechanicalSystem &system, const Scheme scheme)
{
  if (!system.constant_mass())
    throw InputError("the scheme", "The mass of the system depends on its position, and '" + name(scheme) +
                                       "' needs a constant one; choose 'inertia operator'.");
}

std::string seconds(const double t)
{
  std::ostringstream out;
  out << t << " s";
  return out.str();
}

class LinearisedMotion : public MechanicalMotion
{
public:
  LinearisedMotion(std::shared_ptr<const MechanicalSystem> given, const MotionParameters &given_parameters)
      : MechanicalMotion(std::move(given), given_parameters)
      , metric(system->mass(q()))
      , projector(velocity_projector(parameters))
  {
    require_constant_mass(*system, parameters.scheme);
    if (!system->convex_constraints())
      throw InputError("the scheme", "The constraints of the system are not convex, as 'linearised constraints' needs them "
                                     "to be; choose another scheme.");
  }

private:
  Step step(double t_next) const override;

  void   rebound(Step &step, const convex::SaddlePoint &x, const Eigen::MatrixXd &gradients, const Vector &U,
                 double t_next) const;
  double resting_speed(const Vector &force_impulse, const Eigen::MatrixXd &pressed) const;
  void require_convexity(const Vector &g, const Eigen::MatrixXd &gradients, const Step &step, double h, double t_next) const;

  MassMetric                             metric;
  std::unique_ptr<convex::ConeProjector> projector;
};

LinearisedMotion::Step LinearisedMotion::step(const double t_next) const
{
  const double          h         = t_next - time();
  const Vector          impulse   = h * mean_force(h);
  const Vector          U         = u() + metric.velocity(impulse);
  const Vector          g         = system->constraints(t_next, q());
  const Eigen::MatrixXd gradients = system->gradients(t_next, q());

  // in units of |U|: a certificate squares speeds, and forces such as exp(-1/t) make them smaller than 1e-154
  const double        unit  = convex::max_abs(U) > 0. ? convex::max_abs(U) : 1.;
  const Vector        b     = (g / h / unit).cwiseMin(1e6); // more room than that is never used up
  const auto          start = convex::Clock::now();
  convex::SaddlePoint x     = projector->project(velocity_problem(metric, gradients, b, U / unit));
  x.u *= unit;
  x.p *= unit;
  if (x.status == convex::Status::infeasible)
    {
      std::vector<Index> all(g.size());
      std::iota(all.begin(), all.end(), Index(0));
      throw_no_velocity(x.p, all, t_next);
    }

  Step step;
  step.u                    = metric.unscaled(x.u);
  step.q                    = q() + h * step.u;
  step.force_impulse        = impulse;
  step.reaction             = gradients.transpose() * x.p;
  step.constraint_work      = -x.p.dot(speed_of_constraints(t_next, q()));
  step.record.n_constraints = g.size();
  step.record.n_contacts    = (x.p.array() > 0.).count();
  step.record.effort        = convex::effort_of(x, convex::seconds_since(start));
  step.record.method        = x.method;
  require_convexity(g, gradients, step, h, t_next);
  if (parameters.law.restitution > 0. && step.record.n_contacts > 0)
    rebound(step, x, gradients, U, t_next);
  return step;
}

/// Where the force alone makes pressed constraints approach this fast within two steps, in the units of q.
double LinearisedMotion::resting_speed(const Vector &force_impulse, const Eigen::MatrixXd &pressed) const
{
  if (parameters.resting_speed >= 0.)
    return parameters.resting_speed;
  const Vector approach = -(pressed * metric.velocity(force_impulse)).cwiseQuotient(pressed.rowwise().norm());
  return 2. * std::max(0., approach.maxCoeff());
}

/// Replaces u by the impact law applied to U on the cone of the pressed
/// contacts, unless they approach too slowly to rebound.
void LinearisedMotion::rebound(Step &step, const convex::SaddlePoint &x, const Eigen::MatrixXd &gradients, const Vector &U,
                               const double t_next) const
{
  constexpr double   noise   = 1e-6; // of the largest change of velocity: no contact
  const Vector       changes = x.p.cwiseProduct(metric.scaled_rows(gradients).rowwise().norm());
  std::vector<Index> pressed;
  for (Index c = 0; c < x.p.size(); ++c)
    if (x.p(c) > 0. && changes(c) > noise * changes.maxCoeff())
      pressed.push_back(c);

  const Vector speeds  = speed_of_constraints(t_next, q());
  double       fastest = 0.;
  for (const Index c : pressed)
    fastest = std::max(fastest, -(gradients.row(c).dot(U) + speeds(c)) / gradients.row(c).norm());
  const Eigen::MatrixXd rows = gradients(pressed, Eigen::all);
  if (!(fastest > resting_speed(step.force_impulse, rows)))
    return;

  const convex::Impact impact = convex::post_impact(velocity_problem(metric, rows, speeds(pressed), U), *projector,
                                                    parameters.law.restitution, parameters.law.max_repetitions);
  step.u                      = metric.unscaled(impact.u_plus);
  step.reaction               = rows.transpose() * impact.impulse;
  step.constraint_work        = -impact.impulse.dot(Vector(speeds(pressed)));
  step.record.effort += impact.effort;
}

/// g(q + hu) >= g(q) + h ∇g·u >= 0 for a convex g: what is violated is not convex.
void LinearisedMotion::require_convexity(const Vector &g, const Eigen::MatrixXd &gradients, const Step &step, const double h,
                                         const double t_next) const
{
  if (!step.record.effort.converged())
    return;
  constexpr double differences = 1e-6; // of the change of g: what gradients by differences may be wrong by
  const Vector     after       = system->constraints(t_next, step.q);
  for (Index c = 0; c < g.size(); ++c)
    if (const double change = h * gradients.row(c).norm() * step.u.norm();
        !(after(c) >= std::min(0., g(c)) - differences * change - rounding_of_constraint(gradients.row(c), step.q)))
      throw InputError("the scheme", "Constraint " + std::to_string(c + 1) + " is not convex: at t = " + seconds(t_next) +
                                         " its linearisation led to an inadmissible position; choose another scheme.");
}

class CatchingUpMotion : public MechanicalMotion
{
public:
  CatchingUpMotion(std::shared_ptr<const MechanicalSystem> given, const MotionParameters &given_parameters)
      : MechanicalMotion(std::move(given), given_parameters), metric(system->mass(q()))
  {
    require_constant_mass(*system, parameters.scheme);
    if (parameters.law.restitution != 0.)
      throw InputError("the restitution", "'catching-up' is made for restitution 0; set it to 0 or choose another scheme.");
    if (!system->projection(0., q()))
      throw InputError("the scheme", "The system does not offer the projection on its admissible set, which 'catching-up' "
                                     "needs; choose another scheme.");
  }

private:
  Step   step(double t_next) const override;
  double work_of_constraints(const Vector &reaction, const Vector &q, double t_next) const;

  MassMetric metric;
};

/// -Σ p ∂g/∂t with reaction = Σ p ∇g over those that q touches: a projection does not say its p.
double CatchingUpMotion::work_of_constraints(const Vector &reaction, const Vector &q, const double t_next) const
{
  const Vector speeds = speed_of_constraints(t_next, q);
  if (speeds.isZero(0.) || reaction.isZero(0.))
    return 0.;
  constexpr double   touches = 1e-6; // of the size of q, and of the way in the step
  const Vector       g       = system->constraints(t_next, q);
  std::vector<Index> active;
  for (Index i = 0; i < g.size(); ++i)
    if (g(i) <= touches * (q.norm() + this->q().norm()))
      active.push_back(i);
  if (active.empty())
    return 0.;
  const Eigen::MatrixXd gradients = system->gradients(t_next, q)(active, Eigen::all);
  const Vector          p         = gradients.transpose().completeOrthogonalDecomposition().solve(reaction);
  return -p.dot(Vector(speeds(active)));
}

/// 2q^n - q^{n-1} is q^n + h u^n: this form allows steps of different lengths.
CatchingUpMotion::Step CatchingUpMotion::step(const double t_next) const
{
  const double h = t_next - time();
  Step         step;
  step.force_impulse                    = h * mean_force(h);
  const Vector                target    = q() + h * (u() + metric.velocity(step.force_impulse));
  const std::optional<Vector> projected = system->projection(t_next, target);
  if (!projected || !projected->allFinite())
    throw InputError("the system", "No admissible position was found near the one that is projected at t = " +
                                       seconds(t_next) + "; take a smaller time step.");
  step.q                    = *projected;
  step.u                    = (step.q - q()) / h;
  step.reaction             = metric.momentum(step.u - u()) - step.force_impulse;
  step.constraint_work      = work_of_constraints(step.reaction, step.q, t_next);
  step.record.n_constraints = system->n_constraints();
  step.record.n_contacts    = (step.q.array() != target.array()).any();
  step.record.effort        = {1};
  step.record.method        = "projection by the system";
  if (step.record.n_contacts > 0) // else it is admissible, and its own projection
    {
      step.record.effort.natural_residual = step.record.effort.relative_error_bound =
          std::numeric_limits<double>::quiet_NaN();
      step.record.effort.guaranteed = false;
    }
  return step;
}
} // namespace

std::unique_ptr<Motion> make_linearised_motion(std::shared_ptr<const MechanicalSystem> system,
                                               const MotionParameters                 &parameters)
{
  return std::make_unique<LinearisedMotion>(std::move(system), parameters);
}

std::unique_ptr<Motion> make_catching_up_motion(std::shared_ptr<const MechanicalSystem> system,
                                                const MotionParameters                 &parameters)
{
  return std::make_unique<CatchingUpMotion>(std::move(system), parameters);
}
} // namespace moreau::micro
