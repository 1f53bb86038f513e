// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/input/flow_parameters.h"

#include "app/input/motion_parameters.h"
#include "app/input/text/patterns.h"

#include <deal.II/base/parameter_handler.h>

namespace moreau::app
{
namespace
{
namespace Patterns = dealii::Patterns;
}

void FlowText::add_to(dealii::ParameterHandler &prm)
{
  prm.enter_subsection("Congested flow");
  prm.add_parameter(
      "Method", method,
      "'finite volumes' for any data; in one dimension also 'exact blocks', for saturated blocks that fly freely and meet, "
      "'splitting', free transport followed by a projection of the density, restitution 0, and 'soft congestion', a "
      "pressure that grows beyond all bounds as the density tends to 1.",
      Patterns::Selection("finite volumes|exact blocks|splitting|soft congestion"));
  prm.add_parameter("Soft pressure", soft_pressure,
                    "[m^2/s^2] Of soft congestion: epsilon in p = epsilon (1/rho - 1)^-2, rho over its maximum.",
                    *interval("(0, inf)"));
  prm.add_parameter("Blocks file", blocks_file,
                    "CSV file with the blocks of 'exact blocks' instead of Zone/Function expression and Velocity: columns "
                    "left, right (m), u (m/s), as blocks.csv has them; of several times t the last one is taken.");
  prm.add_parameter("Density flux", density_flux,
                    "Of finite volumes: 'anti-diffusive' keeps edges of blocks within a cell or two, 'upwind' smears them.",
                    Patterns::Selection("anti-diffusive|upwind"));
  prm.add_parameter(
      "Bodies", bodies,
      "Of finite volumes: with 'coloured' every body (saturated, three cells wide or more) keeps its own velocity, so that "
      "sequences of impacts with restitution are right on the line, and where bodies fill the box across and move along it; "
      "where the maximal density varies, within three cells (solids whose sides are sides of cells are walls), there are no "
      "bodies. With 'mixture' all matter in a cell has one velocity.",
      Patterns::Selection("mixture|coloured"));
  prm.add_parameter("CFL number", cfl, "Most of what a cell holds that may leave it in one step: the length of steps.",
                    *interval("(0, 1]", "above 1 more would leave a cell than it holds"));
  add_choice(
      prm, "Steps", fixed_steps, "reduced", "fixed",
      "Where Time/Time step is longer than the CFL number allows: it is reduced, which is said, or with 'fixed' refused.");
  prm.add_parameter(
      "Compare with", compare_with,
      "In one dimension: other descriptions of the same matter that are computed, too, and compared at the end.",
      Patterns::List(Patterns::Selection("exact blocks|sticky solution|splitting|soft congestion|spheres"), 0, 5));
  prm.add_parameter("Spheres per unit length", spheres_per_unit_length,
                    "[1/m] Of the comparison with 'spheres'; a list is a sequence of radii.",
                    Patterns::List(*interval("(0, inf)"), 0));
  prm.leave_subsection();

  prm.enter_subsection("Inflow");
  prm.add_parameter("Sides", inflow_sides,
                    "Of the box, where matter enters; sides that are neither walls nor periodic nor named here are open: "
                    "matter leaves there and none enters.",
                    Patterns::List(Patterns::Selection("left|right|bottom|top|back|front"), 0, 6));
  add_formula(prm, inflow_density, "x,y,z,t", "In [0, 1], of what enters, in position and time.", "Density");
  add_formula(prm, inflow_velocity, "x,y,z,t",
              "[m/s] Of what enters, in position and time; one component per dimension, ';' between them.", "Velocity");
  prm.leave_subsection();

  prm.enter_subsection("Maximal density");
  add_expression(prm, maximal_density,
                 "In [0, 1]: what the density cannot exceed there; 0 within solid obstacles, smaller than 1 where matter "
                 "packs less densely. For 'congested flow'.");
  prm.leave_subsection();
}
} // namespace moreau::app
