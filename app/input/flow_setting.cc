// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/input/flow_setting.h"

#include "geometry/cell_means.h"
#include "geometry/processes.h"
#include "app/input/text/formula.h"
#include "app/input/macro_setting.h"
#include "app/input/motion_fields.h"
#include "app/input/text/words.h"

#include "convex/input_error.h"
#include "macro/discretize.h"
#include "macro/flow/transport.h"

#include <algorithm>

namespace moreau::app
{
namespace
{
using geometry::Index;
using geometry::Vector;

constexpr double slack = 1e-12; ///< of densities that are 0 or 1 up to round-off

std::array<macro::Boundary, 6> boundaries(const Parameters &parameters)
{
  using macro::Boundary;
  const geometry::Sides walls   = sides("Zone/Walls", parameters.zone.walls, parameters.dimension);
  const geometry::Sides inflows = sides("Inflow/Sides", parameters.flow.inflow_sides, parameters.dimension);

  std::array<Boundary, 6> result;
  for (std::size_t side = 0; side < result.size(); ++side)
    result[side] = walls[side] ? Boundary::wall : inflows[side] ? Boundary::inflow : Boundary::open;
  for (const std::size_t axis : parameters.motion.periodic)
    result[2 * axis] = result[2 * axis + 1] = Boundary::periodic;
  return result;
}

/// What the state at time 0 is made of.
struct InitialFields
{
  geometry::Field rho, rho_max, U;
  std::string     place_of_rho; ///< "Section/Name"

  /// Rows: ρ, ρ̄, ρU.
  void operator()(const Eigen::MatrixXd &x, Eigen::MatrixXd &values) const
  {
    Eigen::MatrixXd of_rho, of_rho_max, of_U;
    rho(x, of_rho);
    rho_max(x, of_rho_max);
    U(x, of_U);
    values.resize(2 + x.rows(), x.cols());
    for (Index k = 0; k < x.cols(); ++k)
      {
        const double most            = checked_maximum(of_rho_max(0, k), x.col(k));
        const double density         = checked_density(of_rho(0, k), most, x.col(k));
        values(0, k)                 = density;
        values(1, k)                 = most;
        values.col(k).tail(x.rows()) = density * of_U.col(k);
      }
  }

private:
  static double checked_maximum(const double most, const Vector &x)
  {
    if (!(-slack <= most && most <= 1. + slack))
      throw InputError("Maximal density/Function expression",
                       "The maximal density is " + short_number(most) + " at " + point(x) + "; it must lie in [0, 1].");
    return std::clamp(most, 0., 1.);
  }

  double checked_density(const double density, const double most, const Vector &x) const
  {
    if (!(density >= -slack))
      throw InputError(place_of_rho,
                       "The density is " + short_number(density) + " at " + point(x) + "; it must lie in [0, 1].");
    if (!(density <= most + slack))
      throw InputError(place_of_rho,
                       "The density is " +
                           (short_number(density) == short_number(most) ? digits(density) : short_number(density)) + " at " +
                           point(x) + ", where at most " + short_number(most) +
                           (most < 1. ? " is possible; give less matter there or a larger Maximal density."
                                      : " is possible: blocks overlap there or are too dense; it must lie in [0, 1]."));
    return std::clamp(density, 0., most);
  }
};

double integral(const geometry::CellArray &array)
{
  const geometry::BoxGrid &grid = array.box_grid();
  double                   sum  = 0.;
  geometry::for_own_cells(grid, [&](const geometry::CellIndex &cell) { sum += array(cell); });
  return grid.processes.sum(sum) * grid.cell_volume();
}

/// An integral over the box with its estimated error.
struct Integral
{
  double value, error;
};

/// ½∫ρ|U|², by a pass of its own: were it a component of the state, other cells would take more points, and means of the
/// state have other digits. All processes call it.
Integral kinetic_energy(const geometry::BoxGrid &grid, const InitialFields &fields, const geometry::Progress &progress)
{
  geometry::CellArray   energy(grid), error(grid);
  const geometry::Field of_point = [&](const Eigen::MatrixXd &x, Eigen::MatrixXd &values) {
    Eigen::MatrixXd rho, U;
    fields.rho(x, rho);
    fields.U(x, U);
    values = .5 * rho.array() * U.colwise().squaredNorm().array();
  };
  geometry::for_cell_means(
      grid, of_point,
      [&](const geometry::CellIndex &cell, const Vector &mean, const Vector &of_mean) {
        energy(cell) = mean(0);
        error(cell)  = of_mean(0);
      },
      progress);
  return {integral(energy), integral(error)};
}

/// What a solid leaves of a cell, if it is less than a hundredth, is solid, too, and empty: mass that flows in would have to
/// leave again in the same step, with many times the momentum that the cell can hold.
void close_slivers(macro::FlowSetting &setting, const geometry::Field &rho_max)
{
  constexpr double thinnest = .01; // of the cell
  const Index      dim      = setting.grid.dim;
  geometry::for_own_cells(setting.grid, [&](const geometry::CellIndex &cell) {
    if (!(setting.rho_max(cell) > 0. && setting.rho_max(cell) < thinnest))
      return;
    const Vector    centre = setting.grid.centre(cell);
    Eigen::MatrixXd x      = centre.replicate(1, 1 + (1 << dim)), most;
    for (Index k = 1; k < x.cols(); ++k)
      for (Index axis = 0; axis < dim; ++axis)
        x(axis, k) += ((k - 1) >> axis & 1 ? .25 : -.25) * setting.grid.h(axis);
    rho_max(x, most);
    if (most.minCoeff() > 0.) // little all over it
      return;
    setting.rho_max(cell) = setting.rho(cell) = 0.;
    for (Index axis = 0; axis < dim; ++axis)
      setting.momentum[axis](cell) = 0.;
  });
}

/// All processes call it.
void set_initial_state(macro::FlowSetting &setting, const InitialFields &fields, const geometry::Progress &progress)
{
  setting.rho = setting.rho_max          = geometry::CellArray(setting.grid);
  std::vector<geometry::CellArray *> all = {&setting.rho, &setting.rho_max};
  for (int axis = 0; axis < setting.grid.dim; ++axis)
    {
      setting.momentum[axis] = geometry::CellArray(setting.grid);
      all.push_back(&setting.momentum[axis]);
    }
  geometry::CellArray rho(setting.grid), error(setting.grid);
  geometry::for_cell_means(
      setting.grid, fields,
      [&](const geometry::CellIndex &cell, const Vector &mean, const Vector &of_mean) {
        for (std::size_t k = 0; k < all.size(); ++k)
          (*all[k])(cell) = mean(k);
        setting.rho(cell) = std::clamp(mean(0), 0., std::max(mean(1), 0.)); // rounding apart it is
        rho(cell)         = mean(0);
        error(cell)       = of_mean(0);
      },
      progress.part(0., .7));
  close_slivers(setting, fields.rho_max);
  setting.mass_asked_for         = integral(rho);
  setting.mass_asked_for_error   = integral(error);
  const Integral energy          = kinetic_energy(setting.grid, fields, progress.part(.7, 1.));
  setting.energy_asked_for       = energy.value;
  setting.energy_asked_for_error = energy.error;
}

/// Throws InputError("the velocity", ...) as macro::require_computable() does. All processes call it.
void require_computable_speeds(const macro::FlowSetting &setting)
{
  double fastest = 0.;
  geometry::for_own_cells(setting.grid, [&](const geometry::CellIndex &cell) {
    for (int axis = 0; axis < setting.grid.dim && setting.rho(cell) > macro::empty_density; ++axis)
      fastest = std::max(fastest, std::abs(setting.momentum[axis](cell)) / setting.rho(cell));
  });
  macro::require_computable(setting.grid.processes.max(fastest),
                            setting.grid.cell_volume() * static_cast<double>(setting.grid.n_cells()), setting.grid.dim);
}

void update_ghosts(macro::FlowSetting &setting)
{
  setting.rho.update_ghosts();
  setting.rho_max.update_ghosts();
  for (int axis = 0; axis < setting.grid.dim; ++axis)
    setting.momentum[axis].update_ghosts();
}

void require_matter(const macro::FlowSetting &setting, const std::string &place)
{
  constexpr double thinnest = 1e4 * macro::empty_density; // rounding of what counts as none is not seen
  double           densest  = 0.;
  geometry::for_own_cells(setting.grid,
                          [&](const geometry::CellIndex &cell) { densest = std::max(densest, setting.rho(cell)); });
  densest = setting.grid.processes.max(densest);
  if (!(densest > 0.))
    throw InputError(place, "The density is 0 everywhere in the box: the zone is empty; give matter, or sides where it "
                            "enters (Inflow/Sides).");
  if (densest < thinnest)
    throw InputError(place, "No cell holds matter of a density above " + short_number(densest) +
                                " (1 is that of a packing); what is thinner than " + short_number(macro::empty_density) +
                                " counts as none and does not move, so give at least " + short_number(thinnest) +
                                " somewhere.");
}

/// Density, then velocity, of what enters.
std::function<void(double, const Eigen::MatrixXd &, Eigen::MatrixXd &)> inflow(const FlowText &flow, const Index dim)
{
  if (flow.inflow_sides.empty())
    return {};
  const auto density  = std::make_shared<const Formula>("Inflow", flow.inflow_density, 1);
  const auto velocity = std::make_shared<const Formula>("Inflow", flow.inflow_velocity, dim);
  return [=](const double t, const Eigen::MatrixXd &x, Eigen::MatrixXd &values) {
    values.resize(1 + dim, x.cols());
    Vector variables = Vector::Zero(4);
    variables(3)     = t;
    for (Index k = 0; k < x.cols(); ++k)
      {
        variables.head(dim)     = x.col(k);
        const double rho        = (*density)(variables)(0);
        values.col(k).tail(dim) = (*velocity)(variables);
        values(0, k)            = std::clamp(rho, 0., 1.);
        if (!(-slack <= rho && rho <= 1. + slack))
          throw InputError("Inflow/Density expression", "The density is " + short_number(rho) + " at " + point(x.col(k)) +
                                                            ", t = " + short_number(t) + " s; it must lie in [0, 1].");
      }
  };
}
} // namespace

macro::FlowSetting flow_setting(ParameterFile &file, const geometry::Processes &processes,
                                const geometry::Progress &progress)
{
  const Parameters &parameters = file.values();
  const Index       dim        = parameters.dimension;
  require_memory_for_box(parameters, processes);
  const InitialFields fields = {density_of_zone(file), field_of("Maximal density", parameters.flow.maximal_density, dim, 1),
                                field_of("Velocity", parameters.velocity, dim, dim),
                                parameters.zone.file.empty() ? "Zone/Function expression" : "Zone/File"};

  macro::require_computable(parameters.zone.lower_corner, parameters.zone.upper_corner);
  macro::FlowSetting setting;
  setting.grid               = geometry::box_grid(parameters.zone.lower_corner, parameters.zone.upper_corner,
                                                  parameters.mesh.cells_per_unit_length, processes);
  setting.sides              = boundaries(parameters);
  setting.inflow             = inflow(parameters.flow, dim);
  setting.inflow_until       = parameters.motion.time.end_time;
  setting.force              = body_force(parameters.motion.force, dim, "");
  setting.force_is_steady    = depends_on_place_alone(parameters.motion.force, dim);
  setting.force_has_velocity = depends_on_velocity(parameters.motion.force, dim);
  setting.flux = parameters.flow.density_flux == "upwind" ? macro::DensityFlux::upwind : macro::DensityFlux::anti_diffusive;
  setting.bodies    = parameters.flow.bodies == "coloured" ? macro::BodyVelocities::kept : macro::BodyVelocities::mixed;
  setting.law       = parameters.law;
  setting.cfl       = parameters.flow.cfl;
  setting.criterion = parameters.criterion;
  set_initial_state(setting, fields, progress);
  require_computable_speeds(setting);
  update_ghosts(setting);
  if (!setting.inflow)
    require_matter(setting, fields.place_of_rho);
  return setting;
}
} // namespace moreau::app
