// SPDX-License-Identifier: GPL-3.0-or-later
#include "micro/motion/mechanical_system.h"

#include "convex/input_error.h"
#include "convex/number_text.h"
#include "micro/motion/system_entry.h"

#include <algorithm>
#include <cmath>

namespace moreau::micro
{
namespace
{
std::string joined(const std::vector<std::string> &words)
{
  std::string all;
  for (const std::string &word : words)
    all += (all.empty() ? "" : ", ") + word;
  return all;
}

/// In the order of their names.
const std::vector<SystemEntry> &entries()
{
  static const std::vector<SystemEntry> sorted = [] {
    std::vector<SystemEntry> all = system_entries();
    std::sort(all.begin(), all.end(), [](const SystemEntry &a, const SystemEntry &b) { return a.name < b.name; });
    return all;
  }();
  return sorted;
}

std::string list_of_constants(const SystemEntry &entry)
{
  std::vector<std::string> words;
  for (const SystemConstant &constant : entry.constants)
    words.push_back(constant.name + " = " + short_number(constant.value) +
                    (constant.unit.empty() ? "" : " " + constant.unit));
  return joined(words);
}

const SystemEntry &entry_named(const std::string &name)
{
  std::vector<std::string> names;
  for (const SystemEntry &entry : entries())
    if (entry.name == name)
      return entry;
    else
      names.push_back("'" + entry.name + "'");
  throw InputError("the system", "There is no system '" + name + "'; choose one of " + joined(names) + ".");
}

SystemConstants with_defaults(const SystemEntry &entry, const SystemConstants &given)
{
  SystemConstants all;
  for (const SystemConstant &constant : entry.constants)
    all[constant.name] = constant.value;
  for (const auto &[name, value] : given)
    {
      if (all.count(name) == 0)
        throw InputError("the constants of the system",
                         "'" + entry.name + "' has no constant '" + name + "'; it takes " + list_of_constants(entry) + ".");
      if (!std::isfinite(value))
        throw InputError("the constants of the system",
                         "'" + name + "' is " + short_number(value) + "; it must be a finite number.");
      all[name] = value;
    }
  return all;
}

/// A system that begins somewhere else. What is known of its exact motion no longer holds.
class StartedElsewhere : public MechanicalSystem
{
public:
  StartedElsewhere(std::unique_ptr<MechanicalSystem> system, Vector q, Vector u)
      : system(std::move(system)), q(std::move(q)), u(std::move(u))
  {}

  Index                    n_coordinates() const override { return system->n_coordinates(); }
  std::vector<std::string> coordinate_names() const override { return system->coordinate_names(); }
  Vector                   initial_position() const override { return q; }
  Vector                   initial_velocity() const override { return u; }
  Eigen::MatrixXd          mass(const Vector &q) const override { return system->mass(q); }
  bool                     constant_mass() const override { return system->constant_mass(); }
  Vector                force(double t, const Vector &q, const Vector &P) const override { return system->force(t, q, P); }
  Index                 n_constraints() const override { return system->n_constraints(); }
  Vector                constraints(double t, const Vector &q) const override { return system->constraints(t, q); }
  Eigen::MatrixXd       gradients(double t, const Vector &q) const override { return system->gradients(t, q); }
  bool                  convex_constraints() const override { return system->convex_constraints(); }
  std::optional<Vector> projection(double t, const Vector &q) const override { return system->projection(t, q); }
  std::optional<ContractionBounds> contraction_bounds() const override { return system->contraction_bounds(); }

private:
  std::unique_ptr<MechanicalSystem> system;
  Vector                            q, u;
};

/// `given`, or `otherwise` where it is empty.
Vector given_start(const std::string &subject, const Vector &given, const Vector &otherwise, const MechanicalSystem &system)
{
  if (given.size() == 0)
    return otherwise;
  if (given.size() != system.n_coordinates())
    throw InputError(subject, "It has " + std::to_string(given.size()) + " numbers, but the system has the coordinates " +
                                  joined(system.coordinate_names()) + ".");
  if (!given.allFinite())
    throw InputError(subject, "It holds something that is not a finite number; correct it.");
  return given;
}
} // namespace

double positive(const SystemConstants &constants, const std::string &name)
{
  const double value = constants.at(name);
  if (!(value > 0.))
    throw InputError("the constants of the system", "'" + name + "' is " + short_number(value) + "; it must be positive.");
  return value;
}

double not_negative(const SystemConstants &constants, const std::string &name)
{
  const double value = constants.at(name);
  if (!(value >= 0.))
    throw InputError("the constants of the system",
                     "'" + name + "' is " + short_number(value) + "; it must not be negative.");
  return value;
}

const std::vector<SystemDescription> &mechanical_systems()
{
  static const std::vector<SystemDescription> systems = [] {
    std::vector<SystemDescription> all;
    for (const SystemEntry &entry : entries())
      all.push_back({entry.name, entry.description + " (" + list_of_constants(entry) + ")"});
    return all;
  }();
  return systems;
}

std::unique_ptr<MechanicalSystem> make_mechanical_system(const std::string &name, const SystemConstants &constants,
                                                         const Vector &initial_position, const Vector &initial_velocity)
{
  const SystemEntry                &entry  = entry_named(name);
  std::unique_ptr<MechanicalSystem> system = entry.make(with_defaults(entry, constants));
  if (initial_position.size() > 0 || initial_velocity.size() > 0)
    return started_at(std::move(system), initial_position, initial_velocity);
  require_admissible_start("the constants of the system", *system);
  return system;
}

std::unique_ptr<MechanicalSystem> started_at(std::unique_ptr<MechanicalSystem> system, const Vector &initial_position,
                                             const Vector &initial_velocity)
{
  const Vector q = given_start("the initial position", initial_position, system->initial_position(), *system);
  const Vector u = given_start("the initial velocity", initial_velocity, system->initial_velocity(), *system);
  system         = std::make_unique<StartedElsewhere>(std::move(system), q, u);
  require_admissible_start("the initial position", *system);
  return system;
}

double rounding_of_constraint(const Eigen::RowVectorXd &gradient, const Vector &q)
{
  constexpr double rounding = 1e-12, of_terms = 1e-15; // these where q is 0
  return of_terms + rounding * gradient.norm() * q.norm();
}

void require_admissible_start(const std::string &subject, const MechanicalSystem &system)
{
  const Vector q = system.initial_position();
  const Vector g = system.constraints(0., q);
  for (Index i = 0; i < g.size(); ++i)
    if (!(g(i) >= 0.) && !(g(i) >= -rounding_of_constraint(system.gradients(0., q).row(i), q)))
      throw InputError(subject, "The motion begins outside of the admissible set: constraint " + std::to_string(i + 1) +
                                    " is " + short_number(g(i)) + " there, but it must not be negative.");
}
} // namespace moreau::micro
