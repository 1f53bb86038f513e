// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/input/macro_setting.h"

#include "app/input/density.h"
#include "app/input/text/formula.h"
#include "app/input/memory.h"
#include "app/input/shared_setting.h"
#include "app/input/text/words.h"

#include "convex/input_error.h"
#include "convex/number_text.h"

#include <algorithm>
#include <array>

namespace moreau::app
{
namespace
{
using geometry::Vector;

const std::array<std::string, 6> names_of_sides = {"left", "right", "bottom", "top", "back", "front"};

/// The density, with a sentence where it leaves [0, 1].
geometry::Field checked_density(const geometry::Field &density)
{
  const auto checked = [density](const Eigen::MatrixXd &x, Eigen::MatrixXd &rho) {
    density(x, rho);
    constexpr double slack = 1e-12; // of an expression that is 0 or 1 up to round-off
    for (Eigen::Index k = 0; k < rho.cols(); ++k)
      if (!(-slack <= rho(0, k) && rho(0, k) <= 1. + slack))
        throw InputError("Zone/Function expression",
                         "The density is " + digits(rho(0, k)) + " at " + point(x.col(k)) + "; it must lie in [0, 1].");
  };
  return {checked, density.on_hull};
}

/// A level that the user gave is named in messages as such.
geometry::Field level_of(const ExpressionText &level, const unsigned int dimension, const bool is_given)
{
  try
    {
      return field_of("Zone", level, dimension, 1);
    }
  catch (const InputError &error)
    {
      throw InputError(is_given && error.subject == "Zone/Function expression" ? "Zone/Level function" : error.subject,
                       error.sentence);
    }
}

geometry::PeriodicAxes periodic_axes(const Parameters &parameters)
{
  geometry::PeriodicAxes axes = {};
  for (const std::size_t axis : parameters.motion.periodic)
    axes[axis] = true;
  return axes;
}

macro::Domain domain(ParameterFile &file)
{
  const Parameters &parameters = file.values();
  const auto       &zone       = parameters.zone;
  macro::Domain     domain;
  domain.lower               = zone.lower_corner;
  domain.upper               = zone.upper_corner;
  domain.walls               = sides("Zone/Walls", zone.walls, parameters.dimension);
  domain.periodic            = periodic_axes(parameters);
  domain.uniform             = zone.file.empty() && zone.density.expression == "1";
  domain.density_is_cellwise = !zone.file.empty();
  domain.density             = density_of_zone(file);
  if (!domain.density_is_cellwise)
    domain.density = checked_density(domain.density);

  ExpressionText level = zone.density;
  if (!zone.level_function.empty())
    level.expression = zone.level_function;
  else if (const auto found = level_of_density(zone.density.expression))
    level.expression = *found;
  else
    level.expression.clear();
  if (!level.expression.empty())
    {
      domain.level          = level_of(level, parameters.dimension, !zone.level_function.empty());
      domain.level_is_given = !zone.level_function.empty();
      if (domain.level_is_given && domain.uniform)
        throw InputError("Zone/Level function",
                         "The density is 1 everywhere; give the zone as Zone/Function expression, too, as if(A < B, 1, 0).");
    }
  return domain;
}

/// With what it is called in messages.
geometry::Field dilatancy_of(const Parameters &parameters)
{
  ExpressionText text = parameters.cone_directions;
  text.expression     = parameters.dilatancy;
  const auto named    = [](const auto &f) {
    try
      {
        return f();
      }
    catch (const InputError &error)
      {
        throw InputError(error.subject == "Cone/Function expression" ? "Cone/Dilatancy" : error.subject, error.sentence);
      }
  };
  const geometry::Field s = named([&] { return field_of("Cone", text, parameters.dimension, 1); });
  return [s, named](const Eigen::MatrixXd &x, Eigen::MatrixXd &values) { named([&] { s(x, values); }); };
}

macro::Cone cone(const Parameters &parameters)
{
  if (parameters.cone.type == macro::ConeType::dilatant)
    return macro::dilatant_cone(static_cast<int>(parameters.dimension), dilatancy_of(parameters),
                                static_cast<int>(parameters.dilatant_directions));
  if (parameters.cone.type == macro::ConeType::circular)
    return macro::circular_cone(dilatancy_of(parameters));
  if (parameters.cone.type != macro::ConeType::directions)
    return macro::lattice_cone(parameters.cone.type, parameters.cone.lattice_angle);
  const std::string &text         = parameters.cone_directions.expression;
  const auto         n_components = static_cast<unsigned int>(1 + std::count(text.begin(), text.end(), ';'));
  if (n_components % parameters.dimension != 0)
    throw InputError("Cone/Function expression", std::to_string(n_components) + " components do not make whole vectors of " +
                                                     std::to_string(parameters.dimension) +
                                                     " components each; write as 1; 0; 0; 1.");
  macro::Cone cone     = parameters.cone;
  cone.n_directions    = static_cast<int>(n_components / parameters.dimension);
  cone.direction_field = field_of("Cone", parameters.cone_directions, parameters.dimension, n_components);
  return cone;
}

/// The box of a run on a mesh from a file is that of the mesh.
void take_corners_from_mesh(ParameterFile &file)
{
  const auto [lower, upper] = macro::bounding_box(file.values().mesh.file, file.values().dimension);
  const auto text           = [](const Vector &x) {
    std::string words;
    for (const double coordinate : x)
      words += (words.empty() ? "" : ", ") + digits(coordinate);
    return words;
  };
  for (const std::string corner : {"Zone/Lower corner", "Zone/Upper corner"})
    if (!file.given(corner))
      file.set(corner, text(corner == "Zone/Lower corner" ? lower : upper));
}
} // namespace

std::string name_of_side(const std::size_t side) { return names_of_sides.at(side); }

geometry::Sides sides(const std::string &parameter, const std::vector<std::string> &names, const unsigned int dimension)
{
  geometry::Sides result = {};
  for (const std::string &name : names)
    {
      const auto side = std::find(names_of_sides.begin(), names_of_sides.end(), name) - names_of_sides.begin();
      if (side >= 2 * static_cast<int>(dimension))
        throw InputError(parameter, "'" + name + "' is no side of a box in dimension " + std::to_string(dimension) +
                                        (name == "all" ? "; it stands alone." : "; name sides of lower dimension."));
      result[side] = true;
    }
  return result;
}

geometry::Field density_of_zone(ParameterFile &file)
{
  const Parameters &parameters = file.values();
  if (parameters.zone.file.empty())
    return field_of("Zone", parameters.zone.density, parameters.dimension, 1);
  file.set("Zone/File", file.absolute(parameters.zone.file));
  return density_field(parameters.zone.file, parameters.dimension);
}

void require_memory_for_box(const Parameters &parameters, const geometry::Processes &processes)
{
  const auto  &zone    = parameters.zone;
  const double n_cells = ((zone.upper_corner - zone.lower_corner) * parameters.mesh.cells_per_unit_length).prod();
  const double here    = static_cast<double>(processes.n_on_this_machine()) / processes.size();
  geometry::together(processes, [&] {
    require_memory_for_cells(here * n_cells, parameters.dimension, "Mesh/Cells per unit length", cone(parameters),
                             parameters.mesh);
  });
}

bool is_distributed(const Parameters &parameters)
{
  if (is_shareable(parameters) || parameters.is_homogenization() || parameters.is_contact_cone())
    return true;
  if (parameters.is_flow())
    return parameters.dimension > 1;
  if (!parameters.is_macroscopic())
    return false;
  macro::Setting setting;
  setting.domain.lower    = parameters.zone.lower_corner;
  setting.domain.upper    = parameters.zone.upper_corner;
  setting.domain.walls    = sides("Zone/Walls", parameters.zone.walls, parameters.dimension);
  setting.domain.periodic = periodic_axes(parameters);
  setting.cone            = cone(parameters);
  setting.mesh            = parameters.mesh;
  return parameters.mesh.file.empty() ? macro::can_be_shared(setting) : parameters.cone.type == macro::ConeType::isotropic;
}

geometry::Processes processes_of(const Parameters &parameters)
{
  return is_distributed(parameters) ? geometry::Processes(MPI_COMM_WORLD) : geometry::Processes::alone();
}

macro::Setting macro_setting(ParameterFile &file, const geometry::Processes &processes)
{
  const Parameters &parameters = file.values();
  macro::Setting    setting;
  if (parameters.mesh.file.empty())
    require_memory_for_box(parameters, processes);
  if (!parameters.mesh.file.empty())
    {
      file.set("Mesh/File", file.absolute(parameters.mesh.file));
      take_corners_from_mesh(file);
    }
  setting.domain    = domain(file);
  setting.cone      = cone(parameters);
  setting.mesh      = parameters.mesh;
  setting.processes = processes;
  if (const Eigen::MatrixXd D = mean_gradient(parameters); D.size() > 0 && !D.isZero(0.))
    setting.mean_gradient = D;
  setting.U = geometry::with_mean_gradient(
      field_of("Velocity", parameters.velocity, parameters.dimension, parameters.dimension), setting.mean_gradient);
  return setting;
}
} // namespace moreau::app
