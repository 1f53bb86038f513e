// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/input/motion_parameters.h"

#include "app/input/text/patterns.h"
#include "app/input/text/words.h"

#include "micro/motion/mechanical_system.h"

#include <deal.II/base/parameter_handler.h>

#include <limits>

namespace moreau::app
{
namespace
{
namespace Patterns = dealii::Patterns;

std::vector<std::string> system_types()
{
  std::vector<std::string> types = {"spheres", "expressions"};
  for (const micro::SystemDescription &system : micro::mechanical_systems())
    types.push_back(system.name);
  return types;
}

std::string system_documentation()
{
  std::string text = "What moves: 'spheres' as in Spheres; 'expressions', coordinates with the mass matrix, forces and "
                     "constraints that are "
                     "given below";
  for (const micro::SystemDescription &system : micro::mechanical_systems())
    text += "; '" + system.name + "', " + system.description;
  return text + ".";
}
} // namespace

void add_formula(dealii::ParameterHandler &prm, ExpressionText &text, const std::string &variable_names,
                 const std::string &documentation, const std::string &prefix)
{
  text.variable_names = variable_names;
  text.prefix         = prefix;
  prm.add_parameter(prefix + " expression", text.expression, documentation);
  prm.add_parameter(prefix + " constants", text.constants, "Constants of the expression, as a = 1, b = 2; pi is known.");
}

void add_expression(dealii::ParameterHandler &prm, ExpressionText &text, const std::string &documentation)
{
  prm.add_parameter("Function expression", text.expression, documentation);
  prm.add_parameter("Function constants", text.constants, "Constants of the expression, as a = 1, b = 2; pi is known.");
  prm.add_parameter(
      "Variable names", text.variable_names,
      "Names of the coordinates, or of the coordinates and the time, or of all of x, y, z, t; the time is 0 here.");
}

void TimeParameters::add_to(dealii::ParameterHandler &prm)
{
  prm.enter_subsection("Time");
  prm.add_parameter("End time", end_time, "[s] Motions and flows begin at 0.", *interval("(0, inf)"));
  prm.add_parameter(
      "Time step", steps,
      "[s] h; the last step may be shorter. 'time convergence' takes a list. For 'congested flow' an upper "
      "limit; 0, its default: steps are as long as the CFL condition allows, and at most a thousandth of the end time "
      "where Force or Inflow depends on t.",
      Patterns::List(*interval("[0, inf)", "0 is for 'congested flow', other problems need a positive one"), 1));
  add_choice(
      prm, "Scheme", how.scheme,
      {micro::Scheme::linearised_constraints, micro::Scheme::catching_up, micro::Scheme::inertia_operator},
      "'linearised constraints' (A) for spheres and convex constraints, any restitution; 'catching-up' (B) on positions, "
      "restitution 0; 'inertia operator' (C) for mechanical systems with any mass matrix M(q), any restitution.");
  prm.add_parameter(
      "Output every", output_every,
      "[s] Between pictures, rounded up to whole steps, which 'congested flow' adapts; 0: a hundred over the run.",
      Patterns::Double(0.));
  prm.add_parameter(
      "Checkpoint every", checkpoint_every,
      "Steps between checkpoints, from which --resume goes on; 0: only at the end and when the run is told to stop "
      "(SIGTERM, SIGINT).",
      Patterns::Integer(0));
  prm.add_parameter("Checkpoint every minutes", checkpoint_minutes, "[min] The same by the clock; 0: none.",
                    Patterns::Double(0.));
  add_choice(prm, "Force evaluation", how.implicit_force, "explicit", "implicit",
             "Of scheme C: the force with the momentum before the step, or with the one after it, by a fixed point.");
  prm.add_parameter("Resting speed", how.resting_speed,
                    "[m/s] Clusters of pressed contacts that approach more slowly than this do not rebound; -1: twice what "
                    "forces press them with in a step.",
                    *interval("[0, inf)", "", "-1"));
  prm.add_parameter("Position tolerance", how.position_tolerance, "Overlap that a step may leave, of the smallest radius.",
                    *interval("[1e-12, 0.1]", "1e-12 is what rounding leaves, 1e-8 is usual"));
  prm.leave_subsection();
}

void SystemParameters::add_to(dealii::ParameterHandler &prm)
{
  prm.enter_subsection("System");
  prm.add_parameter("Type", type, system_documentation(), Patterns::Selection(joined(system_types(), "|")));
  prm.add_parameter("Constants", constants, "Of a built-in system, as length = 1, gap = 0.2; others keep their defaults.");
  constexpr unsigned int any = std::numeric_limits<unsigned int>::max();
  add_vector(prm, "Initial position", initial_position, "One number per coordinate; empty: the system's own.", 0, any);
  add_vector(prm, "Initial velocity", initial_velocity, "One number per coordinate; empty: the system's own.", 0, any);
  prm.add_parameter(
      "Coordinates", coordinates,
      "Of 'expressions': names that the expressions use, ',' between them, as theta1 (rad), theta2 (rad); their "
      "velocities are utheta1, utheta2. Empty: as many of x, y, z as there are masses.");
  add_formula(
      prm, masses, "",
      "[kg] Of 'expressions', in the coordinates, ';' between them: the diagonal of the mass matrix M(q), a number per "
      "coordinate, or its upper triangle, row by row. Where it depends on the coordinates inertial forces are added.",
      "Mass");
  add_formula(prm, constraints, "x,y,z,t",
              "Of 'expressions': admissible is where each of them is >= 0; ';' between them, in the coordinates and t.",
              "Constraint");
  add_formula(prm, potential, "x,y,z,t", "[J] Of 'expressions', in the coordinates and t: its force is -dV/dq; empty: none.",
              "Potential");
  add_formula(
      prm, generalised_force, "x,y,z,ux,uy,uz,t",
      "[N] Of 'expressions', in coordinates, velocities and t: one component per coordinate, ';' between them, in N of "
      "a length and N m of an angle; empty: none.",
      "Generalised force");
  prm.leave_subsection();
}

void ObstacleParameters::add_to(dealii::ParameterHandler &prm, const std::string &section)
{
  prm.enter_subsection(section);
  prm.add_parameter(
      "Shapes", shapes,
      "Bodies that move together, ';' between them: half-space POINT NORMAL; ball CENTRE RADIUS; capsule "
      "POINT POINT RADIUS; plate POINT "
      "POINT POINT RADIUS (a corner and its two neighbours); inside of ball CENTRE RADIUS; inside of cylinder "
      "POINT POINT RADIUS; points "
      "and normals in parentheses, as capsule (0, 0) (1, 0) 0.1. A periodic box repeats them; no inside is wider "
      "than its period.");
  add_formula(prm, translation, "t",
              "[m] Of the bodies, in t, continuous; one component per dimension, ';' between them; empty: none.",
              "Translation");
  add_formula(prm, angle, "t", "[rad] By which the bodies are turned, in t, continuous; empty: not at all.", "Angle");
  add_vector(prm, "Rotation centre", centre, "[m] Empty: the origin.");
  add_vector(prm, "Rotation axis", axis, "In space; empty: the z axis.");
  prm.leave_subsection();
}

namespace
{
void add_packing(dealii::ParameterHandler &prm, micro::PackingParameters &packing, std::string &cache)
{
  prm.enter_subsection("Random packing");
  prm.add_parameter("Cache directory", cache,
                    "A folder that many runs share, made where it is missing: packings are left there, each by its own "
                    "parameters, and taken from there by all that ask for the same. Empty: none.");
  prm.add_parameter("Coverage", packing.coverage,
                    "Fraction of the box that the spheres cover in the end; 0: until nothing can grow any more.",
                    *interval("[0, 1)", "0.8 covers four fifths of the box, 0 as much as can be"));
  prm.add_parameter("Spread of radii", packing.spread, "Radii are uniform in mean * [1 - spread, 1 + spread].",
                    *interval("[0, 1)", "0.2 draws radii between 0.8 and 1.2 of the mean"));
  prm.add_parameter(
      "Overlap", packing.overlap,
      "By which part of their radii soft spheres are compressed beyond jamming; what overlaps is a contact, and "
      "all are made smaller by one factor until nothing does. 0: hard spheres.",
      *interval("[0, 0.1]", "0.01 makes radii one hundredth larger than where they jam, 0 is a packing of hard "
                            "spheres"));
  add_choice(prm, "Method", packing.compression, "growth", "compression",
             "Radii that grow in the box, or a box that shrinks around spheres.");
  prm.leave_subsection();
}
} // namespace

void TimeConvergenceParameters::add_to(dealii::ParameterHandler &prm)
{
  prm.enter_subsection("Time convergence");
  prm.add_parameter(
      "Reference", reference,
      "What motions are compared with: 'exact', a formula of the system or below; 'finest', the same scheme with a quarter "
      "of the smallest step; 'events', spheres without force followed from impact to impact; 'automatic': the first of "
      "exact, finest that there is.",
      Patterns::Selection("automatic|exact|finest|events"));
  add_formula(prm, exact_position, "t",
              "[m] Exact positions in t, one component per coordinate, without the jumps of a periodic box; empty: none.",
              "Exact position");
  add_formula(prm, exact_velocity, "t", "[m/s] Exact velocities in t, the derivatives of the positions; empty: none.",
              "Exact velocity");
  prm.leave_subsection();
}

std::string MotionText::section_of_group(const int group)
{
  return group == 0 ? "Obstacles" : "Obstacles " + std::to_string(group + 1);
}

void MotionText::add_to(dealii::ParameterHandler &prm)
{
  time.add_to(prm);
  system.add_to(prm);
  prm.enter_subsection("Force");
  add_formula(prm, force, "x,y,z,ux,uy,uz,t",
              "[m/s^2] Per unit mass, in position, velocity and time; one component per coordinate, ';' between them; "
              "empty: none. Of "
              "System/Type = expressions in its coordinates, and M(q) times as much.");
  prm.leave_subsection();
  prm.enter_subsection("Growth");
  add_formula(prm, growth, "x,y,z,t",
              "Factor of the radii, in the initial position and time, 1 at time 0; empty: radii are constant.");
  prm.leave_subsection();
  prm.enter_subsection("Zone");
  add_list_of_words(prm, "Periodic", {"x", "y", "z"},
                    "Directions in which the box repeats itself, for impacts of spheres and of the continuum, "
                    "'homogenization', motions of spheres, flows, contact cones and random packings.",
                    [this](const std::vector<std::size_t> &axes) { periodic = axes; });
  prm.leave_subsection();
  for (int group = 0; group < n_groups; ++group)
    obstacles[group].add_to(prm, section_of_group(group));
  add_packing(prm, packing, packing_cache);
  convergence.add_to(prm);
  measurements.add_to(prm);
}
} // namespace moreau::app
