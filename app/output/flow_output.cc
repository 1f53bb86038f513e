// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/output/flow_output.h"

#include "app/output/macro_output.h"
#include "app/input/words.h"
#include "convex/vectors.h"
#include "app/output/worst.h"
#include "macro/box_fields.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <ostream>

namespace moreau::app
{
namespace
{
using geometry::Index;
using geometry::Vector;

/// Own cells, i fastest.
Eigen::MatrixXd own_values(const geometry::CellArray &array)
{
  Eigen::MatrixXd values(1, array.box_grid().n_own_cells());
  Index           k = 0;
  geometry::for_own_cells(array.box_grid(), [&](const geometry::CellIndex &cell) { values(0, k++) = array(cell); });
  return values;
}
} // namespace

void FlowTotals::add(const macro::FlowRecord &record, const double seconds)
{
  min_density = n_steps == 0 ? record.min_density : std::min(min_density, record.min_density);
  ++n_steps;
  n_solves += record.n_solves;
  n_iterations += record.n_iterations;
  n_impacts += record.n_impacts;
  n_collapsed += record.collapsed;
  iterations_max = std::max<std::int64_t>(iterations_max, record.n_iterations);
  raise(max_density, record.max_density);
  raise(mass_error, record.mass_error);
  raise(momentum_error, record.momentum_error);
  raise(natural_residual, record.natural_residual);
  transport_time += record.transport_time;
  congestion_time += record.congestion_time;
  wall_time += seconds;
  if (record.converged)
    return;
  ++n_not_converged;
  raise(worst_not_converged, record.natural_residual);
  if (first_not_converged.empty())
    first_not_converged = "step " + std::to_string(record.step) + " (t = " + short_number(record.time) + " s)";
}

nlohmann::ordered_json summary_of(const FlowTotals &totals, const macro::FlowRecord &last, Summary summary)
{
  summary.converged          = totals.converged();
  summary.wall_time          = totals.wall_time;
  summary.energy_before      = totals.energy_before;
  summary.energy_projected   = last.kinetic_energy;
  summary.energy_after       = last.kinetic_energy;
  summary.certificate        = certificate_of_steps();
  summary.tolerance_demanded = summary.tolerance;

  summary.certificate.natural_residual = totals.natural_residual;

  nlohmann::ordered_json json = to_json(summary);
  json["iterations"]          = totals.n_iterations;
  json["steps"]               = totals.n_steps;
  json["final_time"]          = number(last.time);
  json["max_density"]         = number(totals.max_density);
  json["min_density"]         = number(totals.min_density);
  json["mass_error"]          = number(totals.mass_error);
  json["momentum_error"]      = number(totals.momentum_error);
  json["mass"]                = number(last.mass);
  json["mass_in"]             = number(last.mass_in);
  json["momentum_after"]      = convex::values(last.momentum);
  json["work"]                = number(last.work);
  json["congested_volume"]    = number(last.congested_volume);
  json["impulse"]             = number(last.impulse);
  json["pressure_mean"]       = number(last.impulse / last.time);
  json["impacts"]             = totals.n_impacts;
  json["collapsed"]           = totals.n_collapsed;
  json["reduced_steps"]       = totals.n_reduced;
  json["solves"]              = totals.n_solves;
  json["iterations_max"]      = totals.iterations_max;
  json["transport_time_s"]    = number(totals.transport_time);
  json["congestion_time_s"]   = number(totals.congestion_time);
  json["steps_not_converged"] = totals.n_not_converged;
  if (!totals.converged())
    json["first_not_converged"] = totals.first_not_converged;
  return json;
}

std::string flow_statistics_header(const int dim)
{
  std::string header = "step,time,h,mass";
  for (int axis = 0; axis < dim; ++axis)
    header += std::string(",momentum_") + "xyz"[axis];
  return header + ",kinetic_energy,work,max_density,min_density,congested_volume,pressure,impulse,largest_speed,solves,"
                  "iterations,impacts,collapsed,residual,converged,mass_in,mass_error,momentum_error,transport_time,"
                  "congestion_time";
}

std::string flow_statistics_row(const macro::FlowRecord &record)
{
  std::string row   = std::to_string(record.step);
  const auto  reals = [&](const std::initializer_list<double> values) {
    for (const double x : values)
      row += "," + digits(x);
  };
  const auto counts = [&](const std::initializer_list<long long> values) {
    for (const long long n : values)
      row += "," + std::to_string(n);
  };
  reals({record.time, record.h, record.mass});
  for (const double x : record.momentum)
    reals({x});
  reals({record.kinetic_energy, record.work, record.max_density, record.min_density, record.congested_volume,
         record.pressure, record.impulse, record.largest_speed});
  counts({record.n_solves, record.n_iterations, record.n_impacts, record.collapsed});
  reals({record.natural_residual});
  counts({record.converged});
  reals({record.mass_in, record.mass_error, record.momentum_error, record.transport_time, record.congestion_time});
  return row;
}

insitu::Mesh flow_mesh(std::shared_ptr<const insitu::Mesh> shape, const macro::CongestedFlow &flow,
                       const FlowPressures &pressures)
{
  std::vector<geometry::NamedValues> values; // not a list: it would copy them
  values.push_back({"rho", "", own_values(flow.rho())});
  values.push_back({"u", "m/s", flow.cell_velocities()});
  values.push_back({"p", "m^2/s^2", pressures.p.transpose()});
  values.push_back({"p_step", "m^2/s^2", own_values(flow.pressure())});
  values.push_back({"impulse", "m^2/s", pressures.impulse.transpose()});
  return field_mesh(std::move(shape), values, flow.setting().grid.dim);
}

void write_profile(std::ostream &out, const macro::CongestedFlow &flow, const FlowPressures &pressures)
{
  const geometry::BoxGrid &grid = flow.rho().box_grid();
  const Eigen::MatrixXd    u    = flow.cell_velocities();
  out << "x,left,right,rho,u,p,impulse\n";
  for (Index i = 0; i < grid.n[0]; ++i)
    {
      const double left  = grid.lower(0) + static_cast<double>(i) * grid.h(0),
                   right = grid.lower(0) + static_cast<double>(i + 1) * grid.h(0);
      out << digits(grid.centre({i, 0, 0})(0)) << ',' << digits(left) << ',' << digits(right) << ','
          << digits(flow.rho()({i, 0, 0})) << ',' << digits(u(0, i)) << ',' << digits(pressures.p(i)) << ','
          << digits(pressures.impulse(i)) << '\n';
    }
}

std::vector<std::pair<double, double>> fronts(const macro::CongestedFlow &flow)
{
  constexpr double           nearly = .9, saturation = .999;
  const geometry::CellArray &rho      = flow.rho();
  const geometry::BoxGrid   &grid     = rho.box_grid();
  const Vector               rho_max  = own_values(flow.setting().rho_max).transpose();
  const Index                n        = grid.n[0];
  const auto                 is_above = [&](const Index i, const double part) {
    return rho_max(i) > 0. && rho({i, 0, 0}) >= part * rho_max(i);
  };

  // what the cells beside cell `last` of an interval, in one direction, add to its length
  const auto reach = [&](const Index last, const Index direction) {
    std::vector<Index> beside;
    for (Index i = last + direction; 0 <= i && i < n && beside.size() < 3 && !is_above(i, nearly); i += direction)
      beside.push_back(i);
    double beyond = beside.empty() ? 0. : 1.;
    for (const Index i : beside)
      beyond = std::min(beyond, rho({i, 0, 0}));
    double length = 0.;
    for (std::size_t k = 0; k < std::min<std::size_t>(2, beside.size()); ++k)
      if (const double most = rho_max(beside[k]); most > beyond)
        length += grid.h(0) * (rho({beside[k], 0, 0}) - beyond) / (most - beyond);
    return length;
  };

  std::vector<std::pair<double, double>> intervals;
  for (Index i = 0; i < n; ++i)
    if (is_above(i, nearly))
      {
        const Index begin        = i;
        bool        is_saturated = false;
        for (; i < n && is_above(i, nearly); ++i)
          is_saturated = is_saturated || is_above(i, saturation);
        if (is_saturated)
          intervals.emplace_back(grid.lower(0) + static_cast<double>(begin) * grid.h(0) - reach(begin, -1),
                                 grid.lower(0) + static_cast<double>(i) * grid.h(0) + reach(i - 1, 1));
      }
  return intervals;
}
} // namespace moreau::app
