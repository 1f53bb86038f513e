// SPDX-License-Identifier: GPL-3.0-or-later
// What Parameters::validate() answers to what is asked of motions.
#include "app/input/parameter_checks.h"
#include "app/input/parameters.h"
#include "app/input/text/words.h"

#include "convex/input_error.h"

#include <algorithm>
#include <set>

namespace moreau::app
{
void Parameters::validate_motion() const
{
  validate_time();
  if (motion.system.type == "spheres")
    validate_moving_spheres();
  else
    validate_system();
  const micro::MotionParameters &how = motion.time.how;
  if (how.implicit_force && how.scheme != micro::Scheme::inertia_operator)
    throw InputError("Time/Force evaluation", "'implicit' belongs to Scheme = inertia operator; '" + name(how.scheme) +
                                                  "' evaluates forces before the step.");
  if (how.scheme == micro::Scheme::catching_up && law.restitution != 0.)
    throw InputError("Restitution", short_number(law.restitution) +
                                        " is asked for, but 'catching-up' is made for e = 0 only; set it to 0 or take "
                                        "another Time/Scheme.");
  if (how.contact_law == micro::ContactLaw::gluey)
    {
      if (law.restitution != 0.)
        throw InputError("Contact law", "'gluey' contacts do not rebound, but Restitution is " +
                                            short_number(law.restitution) + "; set it to 0 or take 'dry'.");
      if (how.scheme != micro::Scheme::linearised_constraints)
        throw InputError("Contact law", "'gluey' is made for Time/Scheme = linearised constraints, not for '" +
                                            name(how.scheme) + "'; change one of them.");
    }
}

void Parameters::validate_time() const
{
  const TimeParameters &time = motion.time;
  for (const double h : time.steps)
    {
      if (is_flow() && h == 0.) // no limit but the CFL condition
        continue;
      if (!(h > 0.))
        throw InputError("Time/Time step", short_number(h) + " is not positive; give a number above 0.");
      constexpr double most = 1e12;
      if (!(time.end_time / h <= most))
        throw InputError("Time/Time step", short_number(h) + " s would take " + short_number(time.end_time / h) +
                                               " steps until Time/End time; give a larger one.");
    }
  if (problem != "time convergence" && time.steps.size() != 1)
    throw InputError("Time/Time step",
                     std::to_string(time.steps.size()) + " numbers are given; a list is for 'time convergence', give one.");
  if (problem == "time convergence" && std::set<double>(time.steps.begin(), time.steps.end()).size() < 2)
    throw InputError("Time/Time step",
                     "'time convergence' compares motions of different steps; give a list of at least two, as 0.1, 0.05.");
}

void Parameters::validate_moving_spheres() const
{
  validate_spheres();
  if (spheres.per_unit_length.size() != 1)
    throw InputError("Spheres/Spheres per unit length", std::to_string(spheres.per_unit_length.size()) +
                                                            " numbers are given; a list is for 'homogenization', give one.");
  if (motion.time.how.scheme == micro::Scheme::inertia_operator)
    throw InputError("Time/Scheme", "'inertia operator' moves mechanical systems; spheres move by 'linearised "
                                    "constraints' or 'catching-up'.");
}

void Parameters::validate_system() const
{
  require_solver_without_mesh();
  if (motion.system.type == "expressions")
    {
      require_empty({{"System/Constants", motion.system.constants}},
                    "Constants of 'expressions' stand beside each expression");
      if (motion.system.masses.expression.empty())
        throw InputError("System/Mass expression", "'expressions' needs a mass per coordinate, as 1; 1, or a mass matrix.");
    }
  else
    require_empty({{"Force/Function expression", motion.force.expression},
                   {"System/Coordinates", motion.system.coordinates},
                   {"System/Mass expression", motion.system.masses.expression},
                   {"System/Potential expression", motion.system.potential.expression},
                   {"System/Generalised force expression", motion.system.generalised_force.expression},
                   {"System/Constraint expression", motion.system.constraints.expression}},
                  "'" + motion.system.type + "' has its own, set by System/Constants");
}

void Parameters::validate_periodic() const
{
  static const std::vector<std::pair<std::string, std::string>> sides = {
      {"left", "right"}, {"bottom", "top"}, {"back", "front"}};
  std::set<std::size_t> named;
  for (const std::size_t axis : motion.periodic)
    {
      const std::string direction(1, "xyz"[axis]);
      if (axis >= dimension)
        throw InputError("Zone/Periodic",
                         "There is no '" + direction + "' where Dimension is " + std::to_string(dimension) + ".");
      if (!named.insert(axis).second)
        throw InputError("Zone/Periodic", "'" + direction + "' is named twice; keep one of them.");
      for (const std::string &wall : {sides[axis].first, sides[axis].second})
        if (std::find(zone.walls.begin(), zone.walls.end(), wall) != zone.walls.end())
          throw InputError("Zone/Periodic", "The box cannot repeat itself in '" + direction + "' with the wall '" + wall +
                                                "'; leave out one of them.");
    }
}
} // namespace moreau::app
