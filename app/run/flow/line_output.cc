// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/run/flow/line_output.h"

#include "app/input/text/words.h"
#include "convex/input_error.h"
#include "geometry/fill_picture.h"

#include <algorithm>
#include <cmath>
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

/// Neighbours that are saturated and touch, as one; one that is not is left out, and what is shorter than `least` (m).
std::vector<macro::Block> zones(const Parcels &parcels, const double least)
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
  constexpr double rounding = 1e-9;
  const auto       is_short = [&](const macro::Block &zone) { return zone.width < (1. - rounding) * least; };
  zones.erase(std::remove_if(zones.begin(), zones.end(), is_short), zones.end());
  return zones;
}

std::vector<macro::Block> blocks_of(const LineRecord &record)
{
  if (!record.moves_blocks)
    return zones(record.parcels, record.shortest_zone);
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
} // namespace

std::vector<double> ends_of_cells(const geometry::BoxGrid &grid)
{
  std::vector<double> ends;
  for (Index i = 0; i <= grid.n[0]; ++i)
    ends.push_back(grid.lower(0) + static_cast<double>(i) * grid.h(0));
  return ends;
}

std::vector<std::pair<double, double>> fronts(const Parcels &parcels, const double least)
{
  std::vector<std::pair<double, double>> intervals;
  for (const macro::Block &zone : zones(parcels, least))
    intervals.emplace_back(zone.left, zone.left + zone.width);
  return intervals;
}

LineMeter::LineMeter(const LineSetting &setting, const LineFlow &flow)
    : setting(setting)
    , flow(flow)
    , force(flow.given_by_force() ? 0. : setting.constant_force("'" + setting.parameters().flow.method + "'"))
    , ends(ends_of_cells(setting.grid()))
{
  const Parcels parcels = setting.parcels();
  const auto   &u       = parcels.u;
  mass                  = parcels.m.back();
  initial_momentum      = integral(parcels, [&](const std::size_t k) { return u[k]; });
  initial_size          = integral(parcels, [&](const std::size_t k) { return std::abs(u[k]); });
  initial_energy        = integral(parcels, [&](const std::size_t k) { return .5 * u[k] * u[k]; });
  initial_place         = centre_times_mass(parcels);
  const auto slower     = [](const double a, const double b) { return std::abs(a) < std::abs(b); };
  if (!std::isfinite(initial_energy))
    refuse_velocities("too large", 0., "choose other units");
  if (const std::size_t k = std::max_element(u.begin(), u.end(), slower) - u.begin();
      initial_size > 0. && initial_energy < 1e-285 && std::abs(u[k]) > 1e-130)
    throw InputError(place_of_velocities(),
                     "The fastest block, at x = " + short_number(parcels.left[k]) + ", has the width " +
                         short_number(parcels.m[k + 1] - parcels.m[k]) +
                         " m: energies are too small to compute with; leave it out or make it wider.");
  if (initial_size > 0. && initial_energy < 1e-285)
    refuse_velocities("too small", 0., "choose other units");
}

std::string LineMeter::place_of_velocities() const
{
  return setting.parameters().flow.blocks_file.empty() ? "Velocity/Function expression" : "Congested flow/Blocks file";
}

void LineMeter::refuse_velocities(const std::string &are, const double time, const std::string &remedy) const
{
  throw InputError(place_of_velocities(),
                   "Velocities are " + are + " to compute with at t = " + short_number(time) + " s; " + remedy + ".");
}

LineRecord LineMeter::record()
{
  LineRecord record;
  record.parcels         = flow.parcels();
  const Parcels &parcels = record.parcels;
  const auto    &u       = parcels.u;
  before                 = now;
  now                    = {before.step + 1, flow.time(), flow.n_impacts(), flow.n_collapsed()};
  record.step            = now.step;
  record.time            = now.time;
  record.h               = now.time - before.time;
  record.moves_blocks    = flow.moves_blocks();
  record.shortest_zone   = record.moves_blocks ? 0. : setting.grid().h(0);
  record.rho             = macro::cell_densities(parcels, ends);
  record.momenta         = macro::cell_momenta(parcels, ends);
  record.n_impacts       = now.n_impacts - before.n_impacts;
  record.n_collapsed     = now.n_collapsed - before.n_collapsed;
  record.energy_before   = initial_energy;
  if (record.step == 0) // impacts at t = 0 itself count in the first step
    now.n_impacts = now.n_collapsed = 0;

  record.mass           = parcels.m.back();
  record.momentum       = integral(parcels, [&](const std::size_t k) { return u[k]; });
  record.kinetic_energy = integral(parcels, [&](const std::size_t k) { return .5 * u[k] * u[k]; });
  if (!std::isfinite(record.kinetic_energy))
    refuse_velocities("too large", record.time, "give smaller ones, or a smaller force");
  const auto given   = flow.given_by_force();
  record.work        = given ? given->work : force == 0. ? 0. : force * (centre_times_mass(parcels) - initial_place);
  record.max_density = *std::max_element(record.rho.begin(), record.rho.end());
  record.min_density = *std::min_element(record.rho.begin(), record.rho.end());
  for (const double speed : u)
    record.largest_speed = std::max(record.largest_speed, std::abs(speed));
  for (const auto &[left, right] : fronts(parcels, record.shortest_zone))
    record.congested_volume += right - left;

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
  const double by_walls  = has_walls ? flow.wall_impulse() : 0.,
               by_force  = mass * (given ? given->velocity : force * record.time);
  const double scale     = initial_size + std::abs(by_walls) + std::abs(by_force);
  const double error     = std::abs(record.momentum - initial_momentum - by_walls - by_force);
  record.momentum_error  = error == 0. ? 0. : error / scale;
  return record;
}

convex::NamedArrays LineMeter::state() const
{
  return {{{"time before", {before.time}}}, {{"counts before", {before.step, before.n_impacts, before.n_collapsed}}}};
}

void LineMeter::restore(const convex::NamedArrays &state)
{
  const std::vector<std::int64_t> &counts = state.integers.at("counts before");
  now = {counts.at(0), state.reals.at("time before").at(0), static_cast<unsigned int>(counts.at(1)),
         static_cast<unsigned int>(counts.at(2))};
}

Record columns_of(const LineRecord &r)
{
  return {{{"step", r.step},
           {"time", r.time, {{Total::last, "final_time"}}},
           {"h", r.h},
           {"mass", r.mass, {{Total::last, "mass"}}},
           {"momentum", std::vector<double>{r.momentum}, {{Total::last, "momentum_after"}}, {"x"}},
           {"", r.energy_before, {{Total::last, "energy_before"}}},
           {"kinetic_energy", r.kinetic_energy, {{Total::last, "energy_projected"}, {Total::last, "energy_after"}}},
           {"work", r.work, {{Total::last, "work"}}},
           {"max_density", r.max_density, {{Total::largest, "max_density"}}},
           {"min_density", r.min_density, {{Total::smallest, "min_density"}}},
           {"congested_volume", r.congested_volume, {{Total::last, "congested_volume"}}},
           {"largest_speed", r.largest_speed},
           {"impacts", r.n_impacts, {{Total::sum, "impacts"}}},
           {"collapsed", r.n_collapsed, {{Total::sum, "collapsed"}}},
           {"mass_error", r.mass_error, {{Total::largest, "mass_error"}}},
           {"momentum_error", number(r.momentum_error), {{Total::largest, "momentum_error"}}}},
          {}};
}

std::vector<std::string> rows_of_blocks(const LineRecord &record)
{
  std::vector<std::string>        rows;
  const std::vector<macro::Block> blocks = blocks_of(record);
  for (std::size_t k = 0; k < blocks.size(); ++k)
    rows.push_back(joined({digits(record.time), std::to_string(k), digits(blocks[k].left),
                           digits(blocks[k].left + blocks[k].width), digits(blocks[k].u)},
                          ","));
  return rows;
}

geometry::Mesh line_mesh(const geometry::BoxGrid &grid, const LineRecord &record)
{
  Eigen::MatrixXd rho(1, grid.n[0]), u(1, grid.n[0]);
  for (Index i = 0; i < grid.n[0]; ++i)
    {
      rho(0, i) = record.rho[i];
      u(0, i)   = velocity(record, i);
    }
  geometry::Mesh mesh = geometry::cell_mesh(grid);
  mesh.cell_data      = geometry::list_of(geometry::array_of("rho", "", rho), geometry::vectors_of("u", "m/s", u));
  return mesh;
}

std::string warning_of_closed_gaps(const LineFlow &flow)
{
  const unsigned int n_closed = flow.n_closed_gaps();
  if (n_closed == 0)
    return "";
  return counted(n_closed, "gap") + " at the start, narrower than " +
         short_number(macro::ExactBlocks::Parameters().touching) + " of the largest coordinate, " +
         (n_closed == 1 ? "counts" : "count") +
         " as closed for exact blocks: what meets there is hit at once and not one after the other; to keep such gaps put "
         "the origin near the blocks.";
}

std::string warning_of_endless_sequences(const LineFlow &flow, const double restitution)
{
  if (restitution == 0.)
    return "";
  if (flow.n_collapsed() > 0)
    return "Exact blocks collapsed: endless sequences of impacts were ended, " + counted(flow.n_collapsed(), "time") +
           ", and their gaps are closed since then. What hits such blocks later rebounds as from blocks that touch; with "
           "gaps "
           "however small it may lose all of its speed instead, as between bodies of finite volumes (Restitution " +
           short_number(restitution) + ").";
  if (flow.n_unseen_rebounds() > 0)
    return "Exact blocks were hit again before a gap that can be seen (1e-12 of the largest coordinate) had opened, " +
           counted(flow.n_unseen_rebounds(), "time") +
           ": an endless sequence of impacts may end there, and the velocities with which blocks part then are left by "
           "rounding; true ones may be 0.";
  return "";
}

void write_profile(std::ostream &out, const geometry::BoxGrid &grid, const LineRecord &record)
{
  const std::vector<double> ends = ends_of_cells(grid);
  out << "x,left,right,rho,u\n";
  for (std::size_t i = 0; i + 1 < ends.size(); ++i)
    out << joined({digits(.5 * (ends[i] + ends[i + 1])), digits(ends[i]), digits(ends[i + 1]), digits(record.rho[i]),
                   digits(velocity(record, i))},
                  ",")
        << '\n';
}
} // namespace moreau::app
