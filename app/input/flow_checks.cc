// SPDX-License-Identifier: GPL-3.0-or-later
// What Parameters::validate() answers to what is asked of congested flows.
#include "app/input/macro_setting.h"
#include "app/input/parameter_checks.h"
#include "app/input/parameters.h"
#include "app/input/text/words.h"

#include "convex/input_error.h"

#include <algorithm>

namespace moreau::app
{
void Parameters::validate_flow() const
{
  validate_time();
  constexpr double most_pictures = 1e6;
  if (motion.time.output_every > 0. && !(motion.time.end_time / motion.time.output_every <= most_pictures))
    throw InputError("Time/Output every", short_number(motion.time.output_every) + " s would make " +
                                              short_number(motion.time.end_time / motion.time.output_every) +
                                              " pictures, and as many steps; give a longer time, or 0 for a hundred.");
  if (flow.fixed_steps && motion.time.steps.front() == 0.)
    throw InputError(
        "Congested flow/Steps",
        "'fixed' needs a length in Time/Time step; give one, or leave the choice to the CFL condition with 'reduced'.");
  validate_sides();
  validate_density_file();
  validate_blocks_file();
  if (flow.method != "finite volumes" || !flow.compare_with.empty())
    validate_flow_on_line();
  if (flow.method != "finite volumes" && flow.bodies != "mixture")
    throw InputError("Congested flow/Bodies", "'" + flow.bodies +
                                                  "' is for Congested flow/Method = finite volumes, but that is '" +
                                                  flow.method + "'; leave one of them out.");
  const MeasurementText &measured = motion.measurements;
  if (flow.method != "finite volumes" && !(measured.fluxes + measured.forces + measured.regions + measured.probes).empty())
    throw InputError("Measurements", "Flows are measured where Congested flow/Method is 'finite volumes', but that is '" +
                                         flow.method + "'; leave one of them out.");
  require_different("Congested flow/Compare with", flow.compare_with);
  const bool with_spheres =
      std::find(flow.compare_with.begin(), flow.compare_with.end(), "spheres") != flow.compare_with.end();
  if (with_spheres == flow.spheres_per_unit_length.empty())
    throw InputError("Congested flow/Spheres per unit length",
                     with_spheres ? "Compare with = spheres needs numbers here, as 50, 100."
                                  : "Numbers are given, but Compare with does not name 'spheres'; leave them out.");
}

void Parameters::validate_blocks_file() const
{
  const std::string place = "Congested flow/Blocks file";
  if (flow.blocks_file.empty())
    return;
  if (flow.method != "exact blocks")
    throw InputError(place, "The file is for Congested flow/Method = exact blocks, but that is '" + flow.method +
                                "'; take the method or leave the file out.");
  if (!zone.file.empty() || zone.density.expression != Parameters().zone.density.expression) // its default
    throw InputError(place, "The blocks are given twice, by the file and by the density in " +
                                std::string(zone.file.empty() ? "Zone/Function expression" : "Zone/File") +
                                "; keep one of them.");
  if (velocity.expression != "0") // the default of flows on the line
    throw InputError(place, "Velocities are given twice, by the column u of the file and by Velocity/Function expression; "
                            "keep one of them.");
}

void Parameters::validate_sides() const
{
  const geometry::Sides walls   = sides("Zone/Walls", zone.walls, dimension);
  const geometry::Sides inflows = sides("Inflow/Sides", flow.inflow_sides, dimension);
  validate_periodic();
  for (std::size_t side = 0; side < walls.size(); ++side)
    {
      const std::string name = name_of_side(side), axis(1, "xyz"[side / 2]);
      const bool periodic    = std::find(motion.periodic.begin(), motion.periodic.end(), side / 2) != motion.periodic.end();
      if (inflows[side] && walls[side])
        throw InputError("Inflow/Sides", "'" + name +
                                             "' is a wall, through which nothing enters; leave it out here or in "
                                             "Zone/Walls.");
      if (inflows[side] && periodic)
        throw InputError("Inflow/Sides", "The box repeats itself in '" + axis + "', so that '" + name +
                                             "' is no side of it; leave it out here or '" + axis + "' in Zone/Periodic.");
    }
  const bool has_inflow = !flow.inflow_sides.empty();
  for (const auto &[name, text] : {std::pair<std::string, std::string>("Density", flow.inflow_density.expression),
                                   {"Velocity", flow.inflow_velocity.expression}})
    if (has_inflow == text.empty())
      throw InputError("Inflow/" + name + " expression",
                       has_inflow ? "Matter enters at '" + joined(flow.inflow_sides, ", ") + "'; say with which " +
                                        (name == "Density" ? "density." : "velocity.")
                                  : "This is given, but Inflow/Sides names no side; name one or leave it empty.");
}

void Parameters::validate_flow_on_line() const
{
  const bool        other_method = flow.method != "finite volumes";
  const std::string place        = other_method ? "Congested flow/Method" : "Congested flow/Compare with";
  const std::string what =
      "'" + (other_method ? flow.method : flow.compare_with.front()) + "' is offered for flows in one dimension ";
  if (dimension != 1)
    throw InputError(place, what + "only; Dimension is " + std::to_string(dimension) + ".");
  if (other_method && !flow.compare_with.empty())
    throw InputError("Congested flow/Compare with",
                     "Comparisons are made with 'finite volumes', but Method is '" + flow.method + "'; leave it empty.");
  require_empty({{"Inflow/Sides", joined(flow.inflow_sides, ", ")},
                 {"Zone/Periodic", motion.periodic.empty() ? "" : "given"},
                 {"Maximal density/Function expression",
                  flow.maximal_density.expression == "1" ? "" : flow.maximal_density.expression}},
                what + "without inflow, period and varying maximal density");
  if ((flow.method == "splitting" || flow.method == "soft congestion") && law.restitution != 0.)
    throw InputError("Restitution", short_number(law.restitution) + " is asked for, but '" + flow.method + "' " +
                                        (flow.method == "splitting" ? "is made for e = 0 only" : "has none of its own") +
                                        "; set it to 0 or take another Congested flow/Method.");
}
} // namespace moreau::app
