// SPDX-License-Identifier: GPL-3.0-or-later
#include "micro/motion/mechanical_motion.h"

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
}

void MechanicalMotion::advance(const double t_next)
{
  const double h = t_next - last.time;
  if (!(h > 0.) || !std::isfinite(h))
    throw std::invalid_argument("Motion::advance: the step is not positive.");
  Step             now = step(t_next);
  const MassMetric metric(system->mass(now.q));

  // forces work along the mean velocity of the step, which with the impulses is exact; moving on with the old velocity
  // changes the energy where M depends on q: inertial terms of the force make up for it
  StepRecord  &record    = now.record;
  const double work      = .5 * now.force_impulse.dot(velocity + now.u) + metric.energy(velocity) - last.kinetic_energy;
  record.step            = last.step + 1;
  record.time            = t_next;
  record.h               = h;
  record.kinetic_energy  = metric.energy(now.u);
  record.work            = last.work + work;
  record.constraint_work = last.constraint_work + now.constraint_work;
  record.dissipated      = last.dissipated + last.kinetic_energy + work + now.constraint_work - record.kinetic_energy;
  record.momentum        = metric.momentum(now.u);
  const Vector expected  = metric.momentum(velocity) + now.force_impulse + now.reaction;
  const double size      = record.momentum.norm() + now.force_impulse.norm() + now.reaction.norm();
  record.momentum_error  = size > 0. ? (record.momentum - expected).norm() / size : 0.;
  const double gain      = last.dissipated - record.dissipated;
  record.energy_gain     = gain > 1e-9 * (last.kinetic_energy + std::abs(work)) ? gain : 0.; // less is rounding
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
  state.reals["energies"] = {last.kinetic_energy, last.work, last.dissipated, last.constraint_work};
  return state;
}

void MechanicalMotion::restore(const MotionState &state)
{
  const Index n = system->n_coordinates();
  if (state.integers.count("step") == 0 || state.integers.at("step").size() != 1)
    throw std::invalid_argument("The state of a motion has no number of steps.");
  const Vector q = read(state, "q", n), u = read(state, "u", n), impulse = read(state, "reaction", n),
               energies = read(state, "energies", 4);
  const double time     = read(state, "time", 1)(0);

  position             = q;
  velocity             = u;
  reaction             = impulse;
  last                 = StepRecord();
  last.step            = state.integers.at("step").front();
  last.time            = time;
  last.kinetic_energy  = energies(0);
  last.work            = energies(1);
  last.dissipated      = energies(2);
  last.constraint_work = energies(3);
  last.momentum        = MassMetric(system->mass(position)).momentum(velocity);
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
