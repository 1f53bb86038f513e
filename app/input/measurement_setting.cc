// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/input/measurement_setting.h"

#include "app/input/memory.h"
#include "app/input/parameters.h"
#include "app/input/text/shape_text.h"
#include "app/input/text/words.h"

#include "convex/input_error.h"

#include <deal.II/base/parameter_handler.h>

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <set>

namespace moreau::app
{
namespace
{
using micro::Gate;
using micro::Index;
using micro::MeasuredBody;
using micro::Vector;

std::vector<Gate> gates(const std::string &text, const Index dim)
{
  static const std::vector<std::pair<ShapeSyntax, Gate::Shape>> shapes = {
      {{"plane", "POINT NORMAL", 2, false}, Gate::Shape::plane},
      {{"segment", "POINT POINT", 2, false}, Gate::Shape::segment},
      {{"rectangle", "POINT POINT POINT", 3, false}, Gate::Shape::rectangle},
      {{"disc", "CENTRE NORMAL RADIUS", 2, true}, Gate::Shape::disc},
  };
  std::vector<Gate> result;
  for (const ShapeText &item : read_shapes("Measurements/Fluxes", text, syntaxes_of(shapes), dim, Naming::required))
    {
      Gate gate;
      gate.name        = item.name;
      gate.shape       = item.among(shapes);
      gate.radius      = item.radius;
      std::size_t next = 0;
      for (Vector *const point : {&gate.a, &gate.b, &gate.c})
        if (next < item.points.size())
          *point = item.points[next++];
      result.push_back(gate);
    }
  return result;
}

std::vector<micro::Probe> probes(const std::string &text, const Index dim)
{
  std::vector<micro::Probe> result;
  for (const ShapeText &item : read_shapes("Measurements/Probes", text, {{"", "POINT", 1, false}}, dim, Naming::required))
    result.push_back({item.name, item.points.front()});
  return result;
}

const std::vector<ShapeSyntax> box_syntax = {{"box", "CORNER CORNER", 2, false}};

std::vector<micro::Box> boxes(const std::string &place, const std::string &text, const Index dim)
{
  std::vector<micro::Box> result;
  for (const ShapeText &item : read_shapes(place, text, box_syntax, dim, Naming::none))
    result.push_back({item.points[0], item.points[1]});
  return result;
}

std::vector<micro::Region> regions(const Parameters &parameters)
{
  std::vector<micro::Region>     result;
  const std::vector<ShapeSyntax> syntaxes = {box_syntax.front(), {"zone", "", 0, false}};
  for (const ShapeText &item : read_shapes("Measurements/Regions", parameters.motion.measurements.regions, syntaxes,
                                           parameters.dimension, Naming::required))
    if (item.shape == "zone")
      result.push_back({item.name, {parameters.zone.lower_corner, parameters.zone.upper_corner}});
    else
      result.push_back({item.name, {item.points[0], item.points[1]}});
  return result;
}

/// All that have a name, in the order of the obstacles; walls of the box last.
std::vector<MeasuredBody> named_bodies(const micro::PlacedObstacles &placed, const std::string &place)
{
  std::vector<MeasuredBody>  bodies;
  std::map<std::string, int> group_of;
  for (int k = 0; k < placed.size(); ++k)
    {
      const micro::Obstacle &obstacle = placed.obstacles()[k];
      const auto [known, is_new]      = group_of.insert({obstacle.label, obstacle.group});
      if (known->second != obstacle.group)
        throw InputError(place, "'" + obstacle.label +
                                    "' is the name of bodies that do not move together, or of a wall and " +
                                    "a body; give each its own.");
      if (is_new)
        bodies.push_back({obstacle.label, {}, obstacle.subject == "Zone/Wall velocities"});
      std::find_if(bodies.begin(), bodies.end(), [&](const MeasuredBody &body) {
        return body.name == obstacle.label;
      })->obstacles.push_back(k);
    }
  return bodies;
}

std::vector<MeasuredBody> bodies(const std::string &text, const micro::Obstacles &obstacles)
{
  const std::string              place = "Measurements/Forces on";
  const std::vector<std::string> words = comma_separated(text);
  if (words.empty())
    return {};
  const std::vector<MeasuredBody> all =
      obstacles.size() > 0 ? named_bodies(obstacles.at(0.), place) : std::vector<MeasuredBody>();
  if (all.empty())
    throw InputError(place, "There are no walls and no obstacles; leave it out.");
  if (words.size() == 1 && words.front() == "all")
    return all;
  std::vector<MeasuredBody> chosen;
  std::set<std::string>     seen;
  for (const std::string &word : words)
    {
      const auto found = std::find_if(all.begin(), all.end(), [&](const MeasuredBody &body) { return body.name == word; });
      if (found == all.end())
        {
          std::vector<std::string> names;
          for (const MeasuredBody &body : all)
            names.push_back(body.name);
          throw InputError(place, "'" + word + "' is no wall and no body; there is " + joined(names, ", ") + ".");
        }
      if (!seen.insert(word).second)
        throw InputError(place, "'" + word + "' is named twice; keep one of them.");
      chosen.push_back(*found);
    }
  return chosen;
}
} // namespace

void MeasurementText::add_to(dealii::ParameterHandler &prm)
{
  prm.enter_subsection("Measurements");
  prm.add_parameter("Fluxes", fluxes,
                    "Where spheres are counted whose centres cross, and through what the mass of a flow passes, ';' between "
                    "them: NAME: plane POINT NORMAL (a line in the plane, without end), segment POINT POINT (in the plane; "
                    "positive from the left to the right of its direction), rectangle POINT POINT POINT (in space: a corner "
                    "and its two neighbours), disc CENTRE NORMAL RADIUS (in space, spheres only); as outlet: segment (0, 0) "
                    "(1, 0).");
  prm.add_parameter("Forces on", forces,
                    "Names of walls and bodies whose forces and torques are measured, ',' between them, or 'all'. Bodies "
                    "are named in their Shapes, as hopper: capsule (0, 0) (1, 0) 0.1, those of one name together; without a "
                    "name they are called capsule_2, the second item of Obstacles, or capsule_2_of_Obstacles_3. Of a flow, "
                    "'solids' are all cells of maximal density 0; forces only.");
  prm.add_parameter(
      "Regions", regions,
      "Boxes in which packing fraction, contacts per sphere, fabric and stress (of a flow mass, mean velocity and pressure) "
      "are measured, ';' between them: NAME: box CORNER CORNER, or NAME: zone for the box of Zone.");
  prm.add_parameter(
      "Probes", probes,
      "Points in the box of Zone at which rho and u are measured, ';' between them, as NAME: (0.5, 0.5), with the "
      "kernel of Coarse graining; of a flow rho, u and p of the cell there.");
  prm.add_parameter(
      "Remove in", remove_in,
      "Boxes, ';' between them, as box (0, -1) (1, -0.5): a sphere whose centre is in one of them at the end of a "
      "step is taken out of the motion; a periodic box repeats them.");
  prm.add_parameter("Remove outside of", remove_outside,
                    "A box: a sphere whose centre is outside is taken out of the motion; a periodic box repeats it.");
  prm.leave_subsection();
  prm.enter_subsection("Coarse graining");
  prm.add_parameter(
      "Cells", coarse.cells,
      "Of a picture of the fields rho, u, p, stress that spheres stand for, over the box of Zone: how many along "
      "each axis, ',' between them; empty: no picture.",
      dealii::Patterns::List(dealii::Patterns::Integer(1, 1000000), 0, 3));
  prm.add_parameter("Width", coarse.width,
                    "[m] Standard deviation of the kernel, not below the largest radius; 0: the largest diameter at the "
                    "beginning.",
                    dealii::Patterns::Double(0.));
  prm.leave_subsection();
}

micro::MeasurementPlan measurement_plan(const Parameters &parameters, const micro::Obstacles &obstacles)
{
  const MeasurementText &text = parameters.motion.measurements;
  const Index            dim  = parameters.dimension;
  micro::MeasurementPlan plan;
  plan.gates   = gates(text.fluxes, dim);
  plan.bodies  = bodies(text.forces, obstacles);
  plan.regions = regions(parameters);
  plan.zone    = {parameters.zone.lower_corner, parameters.zone.upper_corner};
  plan.coarse  = text.coarse;
  if (!text.coarse.cells.empty())
    require_memory_for_picture(std::accumulate(text.coarse.cells.begin(), text.coarse.cells.end(), 1., std::multiplies<>()),
                               parameters.dimension, "Coarse graining/Cells");
  plan.probes                           = probes(text.probes, dim);
  plan.removal.in                       = boxes("Measurements/Remove in", text.remove_in, dim);
  const std::string             outside = "Measurements/Remove outside of";
  const std::vector<micro::Box> kept    = boxes(outside, text.remove_outside, dim);
  if (kept.size() > 1)
    throw InputError(outside, std::to_string(kept.size()) + " boxes are given; give one.");
  if (!kept.empty())
    plan.removal.outside_of = kept.front();
  for (const micro::Probe &probe : plan.probes)
    if (std::any_of(plan.regions.begin(), plan.regions.end(), [&](const auto &region) { return region.name == probe.name; }))
      throw InputError("Measurements/Probes", "'" + probe.name + "' is the name of a region, too; give it another one.");
  return plan;
}
} // namespace moreau::app
