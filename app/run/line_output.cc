// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/run/line_output.h"

#include "app/output/macro_output.h"
#include "app/input/words.h"
#include "app/output/worst.h"
#include "convex/input_error.h"
#include "macro/box_fields.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <ostream>

namespace moreau::app
{
namespace
{
using geometry::Index;
using macro::Parcels;

double mass_of(const Parcels &parcels, const std::size_t k) { return parcels.m[k + 1] - parcels.m[k]; }

/// Σ mass f(k)
template <class F>
double integral(const Parcels &parcels, F &&f)
{
  double sum = 0.;
  for (std::size_t k = 0; k < parcels.u.size(); ++k)
    sum += mass_of(parcels, k) * f(k);
  return sum;
}

double centre_times_mass(const Parcels &parcels)
{
  return integral(parcels, [&](const std::size_t k) { return .5 * (parcels.left[k] + parcels.right[k]); });
}

bool is_saturated(const Parcels &parcels, const std::size_t k)
{
  constexpr double nearly = 1. - 1e-8;
  return mass_of(parcels, k) >= nearly * (parcels.right[k] - parcels.left[k]);
}

/// Neighbours that are saturated and touch, as one; one that is not is left out.
std::vector<macro::Block> zones(const Parcels &parcels)
{
  constexpr double          touching = 1e-9; // of the extent
  std::vector<macro::Block> zones;
  const double              extent = parcels.right.back() - parcels.left.front();
  for (std::size_t k = 0; k < parcels.u.size(); ++k)
    {
      if (!is_saturated(parcels, k))
        continue;
      const double width = parcels.right[k] - parcels.left[k];
      if (!zones.empty() && parcels.left[k] - (zones.back().left + zones.back().width) <= touching * extent)
        {
          macro::Block &zone = zones.back();
          zone.u             = (zone.u * zone.width + parcels.u[k] * width) / (zone.width + width);
          zone.width         = parcels.right[k] - zone.left;
        }
      else
        zones.push_back({parcels.left[k], width, parcels.u[k]});
    }
  return zones;
}

std::vector<macro::Block> blocks_of(const LineRecord &record)
{
  if (!record.moves_blocks)
    return zones(record.parcels);
  std::vector<macro::Block> blocks;
  const Parcels            &parcels = record.parcels;
  for (std::size_t k = 0; k < parcels.u.size(); ++k)
    blocks.push_back({parcels.left[k], parcels.right[k] - parcels.left[k], parcels.u[k]});
  return blocks;
}

double velocity(const LineRecord &record, const std::size_t i)
{
  return record.rho[i] > 0. ? record.momenta[i] / record.rho[i] : 0.;
}

std::string row_of(const std::initializer_list<double> values)
{
  std::string row;
  for (const double x : values)
    row += (row.empty() ? "" : ",") + (std::isfinite(x) ? digits(x) : std::string());
  return row;
}

StepTable step_table(const OutputDirectory &directory, const std::string &file, const std::string &header)
{
  std::optional<StepTable> table;
  directory.guard([&] { table.emplace(directory.path() / file, header); });
  return std::move(*table);
}
} // namespace

std::vector<double> ends_of_cells(const geometry::BoxGrid &grid)
{
  std::vector<double> ends;
  for (Index i = 0; i <= grid.n[0]; ++i)
    ends.push_back(grid.lower(0) + static_cast<double>(i) * grid.h(0));
  return ends;
}

std::vector<std::pair<double, double>> fronts(const Parcels &parcels)
{
  std::vector<std::pair<double, double>> intervals;
  for (const macro::Block &zone : zones(parcels))
    intervals.emplace_back(zone.left, zone.left + zone.width);
  return intervals;
}

LineMeter::LineMeter(const LineSetting &setting, const LineFlow &flow)
    : setting(setting)
    , flow(flow)
    , force(setting.constant_force("'" + setting.parameters().flow.method + "'"))
    , ends(ends_of_cells(setting.grid()))
{
  const Parcels parcels = setting.parcels();
  const auto   &u       = parcels.u;
  mass                  = parcels.m.back();
  initial_momentum      = integral(parcels, [&](const std::size_t k) { return u[k]; });
  initial_size          = integral(parcels, [&](const std::size_t k) { return std::abs(u[k]); });
  initial_energy        = integral(parcels, [&](const std::size_t k) { return .5 * u[k] * u[k]; });
  initial_place         = centre_times_mass(parcels);
}

LineRecord LineMeter::record()
{
  LineRecord record;
  record.parcels         = flow.parcels();
  const Parcels &parcels = record.parcels;
  const auto    &u       = parcels.u;
  record.step            = ++steps;
  record.time            = flow.time();
  record.h               = record.time - last_time;
  record.moves_blocks    = flow.moves_blocks();
  record.rho             = macro::cell_densities(parcels, ends);
  record.momenta         = macro::cell_momenta(parcels, ends);
  record.n_impacts       = flow.n_impacts() - n_impacts;
  record.n_collapsed     = flow.n_collapsed() - n_collapsed;
  last_time              = record.time;
  if (record.step > 0) // impacts at t = 0 itself count in the first step
    {
      n_impacts   = flow.n_impacts();
      n_collapsed = flow.n_collapsed();
    }

  record.mass           = parcels.m.back();
  record.momentum       = integral(parcels, [&](const std::size_t k) { return u[k]; });
  record.kinetic_energy = integral(parcels, [&](const std::size_t k) { return .5 * u[k] * u[k]; });
  if (!std::isfinite(record.kinetic_energy))
    throw InputError("Velocity/Function expression",
                     "Velocities are too large to compute with at t = " + short_number(record.time) +
                         " s; give smaller ones, or a smaller force.");
  record.work        = force * (centre_times_mass(parcels) - initial_place);
  record.max_density = *std::max_element(record.rho.begin(), record.rho.end());
  record.min_density = *std::min_element(record.rho.begin(), record.rho.end());
  for (std::size_t k = 0; k < u.size(); ++k)
    {
      raise(record.largest_speed, std::abs(u[k]));
      if (is_saturated(parcels, k))
        record.congested_volume += parcels.right[k] - parcels.left[k];
    }

  const std::vector<double> box    = {std::min(ends.front(), parcels.left.front()), ends.front(), ends.back(),
                                      std::max(ends.back(), parcels.right.back())};
  const std::vector<double> beyond = macro::cell_densities(parcels, box);
  double                    found  = 0.;
  for (const double rho : record.rho)
    found += rho * setting.grid().h(0);
  for (const std::size_t side : {0, 2})
    found += box[side + 1] > box[side] ? beyond[side] * (box[side + 1] - box[side]) : 0.;
  record.mass_error = std::abs(found - mass) / mass;

  const bool   has_walls = std::isfinite(setting.walls().left) || std::isfinite(setting.walls().right);
  const double by_walls = has_walls ? flow.wall_impulse() : 0., by_force = force * mass * record.time;
  const double scale    = initial_size + std::abs(by_walls) + std::abs(by_force);
  const double error    = std::abs(record.momentum - initial_momentum - by_walls - by_force);
  record.momentum_error = error == 0. ? 0. : error / scale;
  return record;
}

void LineTotals::add(const LineRecord &record, const double seconds)
{
  ++n_steps;
  raise(max_density, record.max_density);
  min_density = std::min(min_density, record.min_density);
  raise(mass_error, record.mass_error);
  raise(momentum_error, record.momentum_error);
  wall_time += seconds;
}

LineFiles::LineFiles(const std::filesystem::path &path, const std::vector<std::filesystem::path> &inputs,
                     const LineSetting &setting, Log &log)
    : grid(setting.grid())
    , directory(path, inputs)
    , statistics(step_table(directory, "statistics.csv",
                            "step,time,h,mass,momentum_x,kinetic_energy,work,max_density,min_density,congested_volume,"
                            "largest_speed,impacts,collapsed,mass_error,momentum_error"))
    , blocks(step_table(directory, "blocks.csv", "t,block,left,right,u"))
    , snapshots(setting.parameters(), log)
{}

void LineFiles::add_step(const LineRecord &record)
{
  const std::string row = std::to_string(record.step) + "," +
                          row_of({record.time, record.h, record.mass, record.momentum, record.kinetic_energy, record.work,
                                  record.max_density, record.min_density, record.congested_volume, record.largest_speed}) +
                          "," + std::to_string(record.n_impacts) + "," + std::to_string(record.n_collapsed) + "," +
                          row_of({record.mass_error, record.momentum_error});
  directory.guard([&] { statistics.append(row); });
  snapshots.step(record.time, record.step, [&] { return meshes(record); });
}

void LineFiles::add_picture(const LineRecord &record)
{
  const std::vector<macro::Block> now = blocks_of(record);
  directory.guard([&] {
    for (std::size_t k = 0; k < now.size(); ++k)
      blocks.append(digits(record.time) + "," + std::to_string(k) + "," +
                    row_of({now[k].left, now[k].left + now[k].width, now[k].u}));
  });
  directory.guard([&] { snapshots.write({record.time, pictures, meshes(record), record.step}); });
  ++pictures;
}

std::vector<insitu::Mesh> LineFiles::meshes(const LineRecord &record) const
{
  Eigen::MatrixXd rho(1, grid.n[0]), u(1, grid.n[0]);
  for (Index i = 0; i < grid.n[0]; ++i)
    {
      rho(0, i) = record.rho[i];
      u(0, i)   = velocity(record, i);
    }
  geometry::FieldMesh mesh = macro::cell_mesh(grid);
  mesh.cell_data           = {{"rho", "", rho}, {"u", "m/s", u}};
  return insitu::list_of(field_mesh(mesh));
}

void LineFiles::write_profile(const LineRecord &record) const
{
  directory.write("profile.csv", [&](std::ostream &out) {
    const std::vector<double> ends = ends_of_cells(grid);
    out << "x,left,right,rho,u\n";
    for (std::size_t i = 0; i + 1 < ends.size(); ++i)
      out << row_of({.5 * (ends[i] + ends[i + 1]), ends[i], ends[i + 1], record.rho[i], velocity(record, i)}) << '\n';
  });
}

void LineFiles::finish()
{
  directory.guard([&] {
    statistics.finish();
    blocks.finish();
    snapshots.finish();
  });
}
} // namespace moreau::app
