// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/input/flow_measurement_setting.h"

#include "app/input/macro_setting.h"
#include "app/input/parameters.h"
#include "app/input/text/shape_text.h"
#include "app/input/text/words.h"

#include "convex/input_error.h"

#include <Eigen/Geometry>

#include <algorithm>
#include <cmath>

namespace moreau::app
{
namespace
{
using geometry::Vector;
using macro::FlowBody;
using macro::FlowGate;

enum class GateShape
{
  plane,
  segment,
  rectangle
};

Vector unit(const Vector &normal, const std::string &name)
{
  if (!(normal.norm() > 0.) || !normal.allFinite())
    throw InputError("Measurements/Fluxes", "'" + name + "' has no extent or a normal of length 0; give one.");
  return normal / normal.norm();
}

/// The whole of a plane. Where the box repeats itself it may be given at any of its repetitions.
std::vector<Vector> corners_of_plane(const std::string &name, Vector point, const Vector &normal,
                                     const macro::FlowSetting &setting)
{
  const geometry::BoxGrid &grid = setting.grid;
  for (int axis = 0; axis < grid.dim; ++axis)
    if (setting.sides[2 * axis] == macro::Boundary::periodic)
      {
        constexpr double rounding = 1e-12;
        const double     slope    = std::abs(normal(axis));
        if (rounding < slope && slope < 1. - rounding)
          throw InputError("Measurements/Fluxes", "'" + name + "' leans towards a side at which the box repeats itself; " +
                                                      "give a normal along an axis.");
        const double period = static_cast<double>(grid.n[axis]) * grid.h(axis);
        point(axis) -= period * std::floor((point(axis) - grid.lower(axis)) / period);
        point(axis) = std::max(point(axis), grid.lower(axis)); // of rounding
      }
  return macro::plane_in_box(grid, point, normal);
}

std::vector<FlowGate> flow_gates(const std::string &text, const macro::FlowSetting &setting)
{
  const geometry::BoxGrid &grid = setting.grid;

  static const std::vector<std::pair<ShapeSyntax, GateShape>> shapes = {
      {{"plane", "POINT NORMAL", 2, false}, GateShape::plane},
      {{"segment", "POINT POINT", 2, false}, GateShape::segment},
      {{"rectangle", "POINT POINT POINT", 3, false}, GateShape::rectangle},
  };
  std::vector<FlowGate> result;
  for (const ShapeText &item : read_shapes("Measurements/Fluxes", text, syntaxes_of(shapes), grid.dim, Naming::required))
    {
      const GateShape            shape = item.among(shapes);
      const std::vector<Vector> &p     = item.points;
      FlowGate                   gate;
      gate.name = item.name;
      if ((shape == GateShape::segment && grid.dim != 2) || (shape == GateShape::rectangle && grid.dim != 3))
        throw InputError("Measurements/Fluxes", "'" + item.name + "' is a " + item.shape + ", which is for dimension " +
                                                    (grid.dim == 2   ? "3; give a segment or a plane."
                                                     : grid.dim == 3 ? "2; give a rectangle or a plane."
                                                                     : "2 or 3; give a plane, POINT NORMAL."));
      if (shape == GateShape::plane)
        {
          gate.normal  = unit(p[1], item.name);
          gate.corners = corners_of_plane(item.name, p[0], gate.normal, setting);
        }
      else if (shape == GateShape::segment) // from the left to the right of who goes along it
        {
          gate.normal  = unit(Eigen::Vector2d(p[1](1) - p[0](1), p[0](0) - p[1](0)), item.name);
          gate.corners = {p[0], p[1]};
        }
      else
        {
          const Eigen::Vector3d s = p[1] - p[0], t = p[2] - p[0];
          gate.normal  = unit(s.cross(t), item.name);
          gate.corners = {p[0], p[1], p[1] + p[2] - p[0], p[2]};
        }
      result.push_back(gate);
    }
  return result;
}

bool has_solids(const macro::FlowSetting &setting)
{
  double n = 0.;
  geometry::for_own_cells(setting.grid, [&](const geometry::CellIndex &cell) { n += setting.rho_max(cell) == 0.; });
  return setting.grid.processes.sum(n) > 0.;
}

std::vector<FlowBody> flow_bodies(const Parameters &parameters, const macro::FlowSetting &setting)
{
  const std::string              place = "Measurements/Forces on";
  const std::vector<std::string> words = comma_separated(parameters.motion.measurements.forces);
  std::vector<FlowBody>          all;
  for (int side = 0; side < 2 * setting.grid.dim; ++side)
    if (setting.sides[side] == macro::Boundary::wall)
      all.push_back({name_of_side(side), side});
  if (has_solids(setting))
    all.push_back({"solids", FlowBody::solids});
  if (words.empty())
    return {};
  if (all.empty())
    throw InputError(place, "There are no walls and no solid cells; leave it out.");
  if (words.size() == 1 && words.front() == "all")
    return all;
  std::vector<FlowBody> chosen;
  for (const std::string &word : words)
    {
      int wanted = FlowBody::solids;
      if (word != "solids")
        {
          const geometry::Sides of_word = sides(place, {word}, parameters.dimension);
          wanted = static_cast<int>(std::find(of_word.begin(), of_word.end(), true) - of_word.begin());
        }
      const auto is_wanted = [&](const FlowBody &body) { return body.side == wanted; };
      const auto found     = std::find_if(all.begin(), all.end(), is_wanted);
      if (found == all.end())
        throw InputError(place, "'" + word + "' takes no force: " +
                                    (wanted == FlowBody::solids ? "Maximal density is 0 nowhere" : "it is no wall") +
                                    "; leave it out.");
      if (std::any_of(chosen.begin(), chosen.end(), is_wanted))
        throw InputError(place, "'" + word + "' is named twice; keep one of them.");
      chosen.push_back(*found);
    }
  return chosen;
}
} // namespace

macro::FlowMeasurementPlan flow_measurement_plan(const Parameters &parameters, const macro::FlowSetting &setting)
{
  const MeasurementText     &text = parameters.motion.measurements;
  const int                  dim  = setting.grid.dim;
  macro::FlowMeasurementPlan plan;
  plan.gates  = flow_gates(text.fluxes, setting);
  plan.bodies = flow_bodies(parameters, setting);

  const std::vector<ShapeSyntax> boxes = {{"box", "CORNER CORNER", 2, false}, {"zone", "", 0, false}};
  for (const ShapeText &item : read_shapes("Measurements/Regions", text.regions, boxes, dim, Naming::required))
    if (item.shape == "zone")
      plan.regions.push_back({item.name, parameters.zone.lower_corner, parameters.zone.upper_corner});
    else
      plan.regions.push_back({item.name, item.points[0], item.points[1]});
  for (const ShapeText &item :
       read_shapes("Measurements/Probes", text.probes, {{"", "POINT", 1, false}}, dim, Naming::required))
    {
      const auto has_name = [&](const macro::FlowRegion &region) { return region.name == item.name; };
      if (std::any_of(plan.regions.begin(), plan.regions.end(), has_name))
        throw InputError("Measurements/Probes", "'" + item.name + "' is the name of a region, too; give it another one.");
      plan.probes.push_back({item.name, item.points.front()});
    }
  return plan;
}
} // namespace moreau::app
