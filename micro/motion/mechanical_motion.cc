// SPDX-License-Identifier: GPL-3.0-or-later
#include "micro/motion/mechanical_motion.h"

#include "micro/motion/energy_books.h"

#include "convex/input_error.h"
#include "convex/vectors.h"
#include "geometry/quadrature.h"

#include <Eigen/Cholesky>

#include <algorithm>
#include <cmath>
#include <sstream>

namespace moreau::micro
{
namespace
{
using convex::values;

std::string place(const double t, const Vector &q)
{
  std::ostringstream out;
  out << "t = " << t << " s, q = (";
  for (Index k = 0; k < q.size(); ++k)
    out << (k == 0 ? "" : ", ") << q(k);
  out << ")";
  return out.str();
}

/// The array of this name, n numbers.
Vector read(const MotionState &state, const std::string &name, const Index n)
{
  const auto found = state.reals.find(name);
  if (found == state.reals.end() || static_cast<Index>(found->second.size()) != n)
    throw std::invalid_argument("The state of a motion has no '" + name + "' of length " + std::to_string(n) + ".");
  return Eigen::Map<const Vector>(found->second.data(), n);
}
} // namespace

MassMetric::MassMetric(const Eigen::MatrixXd &M) : M(M)
{
  const Eigen::LLT<Eigen::MatrixXd> factors(M);
  if (!M.allFinite() || factors.info() != Eigen::Success)
    throw InputError("the constants of the system",
                     "The mass matrix of the system is not positive definite; correct the masses.");
  L = factors.matrixL();
}

Vector MassMetric::velocity(const Vector &P) const
{
  const auto lower = L.triangularView<Eigen::Lower>();
  return lower.transpose().solve(lower.solve(P));
}

Vector MassMetric::scaled(const Vector &u) const { return L.transpose() * u; }

Vector MassMetric::unscaled(const Vector &v) const { return L.triangularView<Eigen::Lower>().transpose().solve(v); }

Eigen::MatrixXd MassMetric::scaled_rows(const Eigen::MatrixXd &rows) const
{
  if (rows.rows() == 0) // Eigen would move a null pointer
    return rows;
  return L.triangularView<Eigen::Lower>().solve(rows.transpose()).transpose();
}

MechanicalMotion::MechanicalMotion(std::shared_ptr<const MechanicalSystem> given, const MotionParameters &parameters)
    : system(std::move(given))
    , parameters(parameters)
    , position(system->initial_position())
    , velocity(system->initial_velocity())
    , reaction(Vector::Zero(position.size()))
{
  if (!(0. <= parameters.law.restitution && parameters.law.restitution <= 1.))
    {
      std::ostringstream message;
      message << "The restitution is " << parameters.law.restitution << "; it must lie in [0, 1].";
      throw InputError("the restitution", message.str());
    }
  require_admissible_start("the initial position", *system);
  const MassMetric metric(system->mass(position));
  last.kinetic_energy = metric.energy(velocity);
  last.momentum       = metric.momentum(velocity);
  require_finite_energy(last, "the initial velocity");
}

void MechanicalMotion::advance(const double t_next)
{
  const double h = t_next - last.time;
  if (!(h > 0.) || !std::isfinite(h))
    throw std::invalid_argument("Motion::advance: the step is not positive.");
  Step             now = step(t_next);
  const MassMetric metric(system->mass(now.q));

  StepRecord &record     = now.record;
  record.step            = last.step + 1;
  record.time            = t_next;
  record.h               = h;
  record.kinetic_energy  = metric.energy(now.u);
  record.work            = last.work + work_of_force(now.q, h);
  record.constraint_work = last.constraint_work + now.constraint_work;
  record.momentum        = metric.momentum(now.u);
  const Vector expected  = metric.momentum(velocity) + now.force_impulse + now.reaction;
  const double size      = record.momentum.norm() + now.force_impulse.norm() + now.reaction.norm();
  record.momentum_error  = size > 0. ? (record.momentum - expected).norm() / size : 0.;
  const double taken     = now.constraint_work - .5 * now.reaction.dot(velocity + now.u);
  record.pushed_energy   = metric.energy(velocity + metric.velocity(now.force_impulse));
  book_energies(record, last, taken);
  record.velocity_change = metric.scaled(now.u - velocity).norm();
  const Vector g         = system->constraints(t_next, now.q);
  record.max_overlap     = g.size() > 0 ? std::max(0., -g.minCoeff()) : 0.;

  if (!std::isfinite(record.kinetic_energy) || !now.q.allFinite())
    {
      std::ostringstream message;
      message << "Velocities are too large for numbers in the step to time " << t_next
              << " s; correct the force or shorten the step.";
      throw InputError("the force", message.str());
    }

  position = std::move(now.q);
  velocity = std::move(now.u);
  reaction = std::move(now.reaction);
  last     = std::move(record);
}

Vector MechanicalMotion::force(const double t, const Vector &q, const Vector &P) const
{
  Vector f = system->force(t, q, P);
  if (!f.allFinite())
    throw InputError("the force", "The force is not finite at " + place(t, q) + "; correct it.");
  return f;
}

Vector MechanicalMotion::mean_force(const double h) const
{
  const Vector P = system->mass(position) * velocity;
  return geometry::mean_over(
      last.time, h, [&](const double t) { return force(t, position, P); }, 3);
}

/// ∫ f(t, q, M q')·dq + ½ q'ᵀ(M(q) - M(q^n))q' on the straight way to q in a time h: the first term by Gauss points; f has
/// inertial terms, of which the second one takes away what does no work.
double MechanicalMotion::work_of_force(const Vector &q, const double h) const
{
  const Vector way = q - position, v = way / h;
  const auto   power = [&](const double t) -> Vector {
    const Vector at = position + (t - last.time) * v;
    return Vector::Constant(1, force(t, at, system->mass(at) * v).dot(way));
  };
  double work = geometry::mean_over(last.time, h, power, 2)(0);
  if (!system->constant_mass())
    work += .5 * v.dot((system->mass(q) - system->mass(position)) * v);
  return work;
}

Vector MechanicalMotion::speed_of_constraints(const double t_next, const Vector &q) const
{
  return (system->constraints(t_next, q) - system->constraints(last.time, q)) / (t_next - last.time);
}

MotionState MechanicalMotion::state() const
{
  MotionState state;
  state.integers["step"]  = {last.step};
  state.reals["time"]     = {last.time};
  state.reals["q"]        = values(position);
  state.reals["u"]        = values(velocity);
  state.reals["reaction"] = values(reaction);
  state.reals["energies"] = energies_of(last);
  return state;
}

void MechanicalMotion::restore(const MotionState &state)
{
  const Index n = system->n_coordinates();
  if (state.integers.count("step") == 0 || state.integers.at("step").size() != 1)
    throw std::invalid_argument("The state of a motion has no number of steps.");
  const Vector q = read(state, "q", n), u = read(state, "u", n), impulse = read(state, "reaction", n),
               energies = read(state, "energies", n_energies);
  const double time     = read(state, "time", 1)(0);

  position  = q;
  velocity  = u;
  reaction  = impulse;
  last      = StepRecord();
  last.step = state.integers.at("step").front();
  last.time = time;
  set_energies(last, values(energies));
  last.momentum = MassMetric(system->mass(position)).momentum(velocity);
}

std::unique_ptr<Motion> make_motion(std::shared_ptr<const MechanicalSystem> system, const MotionParameters &parameters)
{
  return (parameters.scheme == Scheme::catching_up        ? make_catching_up_motion
          : parameters.scheme == Scheme::inertia_operator ? make_inertia_motion
                                                          : make_linearised_motion)(std::move(system), parameters);
}

std::string name(const ContactLaw law) { return law == ContactLaw::gluey ? "gluey" : "dry"; }

std::string name(const Scheme scheme)
{
  return scheme == Scheme::catching_up        ? "catching-up"
         : scheme == Scheme::inertia_operator ? "inertia operator"
                                              : "linearised constraints";
}
} // namespace moreau::micro
