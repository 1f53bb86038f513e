// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/output/flow_output.h"

#include "app/input/text/words.h"
#include "convex/vectors.h"
#include "geometry/fill_picture.h"

#include <algorithm>
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

Record columns_of(const macro::FlowRecord &r)
{
  const int    collapsed = r.effort.collapsed, converged = r.effort.converged();
  const int    guaranteed = r.impact.guaranteed && r.impact.n_projections > 0;
  const double bound      = r.impact.relative_error_bound;
  Record       record;
  record.columns = {{"step", r.step},
                    {"time", r.time, {{Total::last, "final_time"}}},
                    {"h", r.h},
                    {"mass", r.mass, {{Total::last, "mass"}}},
                    {"momentum", convex::values(r.momentum), {{Total::last, "momentum_after"}}, {"x", "y", "z"}},
                    {"kinetic_energy",
                     r.kinetic_energy,
                     {{Total::first, "energy_before"}, {Total::last, "energy_projected"}, {Total::last, "energy_after"}}},
                    {"work", r.work, {{Total::last, "work"}}},
                    {"max_density", r.max_density, {{Total::largest, "max_density"}}},
                    {"min_density", r.min_density, {{Total::smallest, "min_density"}}},
                    {"congested_volume", r.congested_volume, {{Total::last, "congested_volume"}}},
                    {"pressure", r.pressure},
                    {"impulse", r.impulse, {{Total::last, "impulse"}}},
                    {"", r.impulse / r.time, {{Total::last, "pressure_mean"}}},
                    {"largest_speed", r.largest_speed},
                    {"solves", r.effort.n_projections, {{Total::sum, "solves"}}},
                    {"iterations", r.effort.n_iterations, {{Total::sum, "iterations"}, {Total::largest, "iterations_max"}}},
                    {"impacts", r.n_impacts, {{Total::sum, "impacts"}}},
                    {"collapsed", collapsed, {{Total::sum, "collapsed"}}},
                    {"residual", r.effort.natural_residual, {{Total::largest, "certificate/natural_residual"}}},
                    {"relative_error_bound", bound, {{Total::largest, "certificate/relative_error_bound"}}},
                    {"guaranteed", guaranteed},
                    {"", r.impact.guaranteed, {{Total::smallest, "certificate/guaranteed"}}},
                    {"converged", converged},
                    {"mass_in", r.mass_in, {{Total::last, "mass_in"}}},
                    {"mass_error", r.mass_error, {{Total::largest, "mass_error"}}},
                    {"momentum_error", r.momentum_error, {{Total::largest, "momentum_error"}}},
                    {"transport_time", r.transport_time, {{Total::sum, "transport_time_s"}}},
                    {"congestion_time", r.congestion_time, {{Total::sum, "congestion_time_s"}}}};
  if (!r.effort.converged())
    record.failure = {step_at(r.step, r.time), r.effort.natural_residual};
  return record;
}

void add_columns(Record &record, const macro::BodyCounts &n)
{
  const auto of_the_clock = std::find_if(record.columns.begin(), record.columns.end(),
                                         [](const Record::Column &column) { return column.name == "transport_time"; });
  record.columns.insert(of_the_clock, {"bodies", n.bodies, {{Total::last, "bodies/now"}}});
  for (const auto &[key, value] : {std::pair<const char *, std::int64_t>("births", n.births),
                                   {"deaths", n.deaths},
                                   {"broken_off", n.broken_off},
                                   {"fusions", n.fusions},
                                   {"gone", n.gone},
                                   {"narrowed", n.narrowed},
                                   {"colour_changes", n.changes},
                                   {"colours", n.colours},
                                   {"narrow_at_start", n.thin},
                                   {"joined_at_start", n.joined},
                                   {"in_thinner_matter_at_start", n.surrounded},
                                   {"where_maximal_density_varies", n.changed},
                                   {"without_colour", n.fused}})
    record.columns.push_back({"", value, {{Total::last, std::string("bodies/") + key}}});
}

void say_bodies(const macro::BodyCounts &n, const int dim, const bool rebounds, Log &log)
{
  std::string history = std::to_string(n.births) + " found, " + std::to_string(n.deaths) + " given up";
  for (const auto &[number, what] : {std::pair<std::int64_t, std::string>(n.broken_off, " broken off"),
                                     {n.fusions, " lost to another that they touch"},
                                     {n.gone, " that left or wore away"}})
    if (number > 0)
      history += ", " + std::to_string(number) + what;
  log.row("bodies", std::to_string(n.bodies) + " at the end; " + history + ", " + counted(n.changes, "change") +
                        " of colour, " + counted(n.colours, "colour") + " besides the mixture");
  const auto no_bodies = [](const std::int64_t count, const std::string &what) {
    return counted(count, "piece") + what +
           (count == 1 ? " is no body that keeps its velocity; where it meets"
                       : " are no bodies that keep their velocity; where they meet") +
           " others velocities mix, and energies afterwards may be wrong.";
  };
  if (n.thin > 0)
    log.warn(no_bodies(n.thin, " of saturated matter at the start narrower than three cells along some axis") +
             " Take more Mesh/Cells per unit length.");
  if (n.joined > 0)
    log.warn(no_bodies(n.joined, " of matter at the start with a gap of less than a cell") +
             " Take more Mesh/Cells per unit length.");
  if (n.surrounded > 0 && rebounds)
    log.warn(no_bodies(n.surrounded, " of saturated matter at the start with thinner matter beside"));
  if (n.changed > 0)
    log.warn(no_bodies(n.changed, " of saturated matter within three cells of where Maximal density varies"));
  const auto first = [&](const macro::BodyCounts::First &happened) {
    return "at t = " + short_number(happened.time) + " s near " +
           point(Eigen::Map<const Eigen::VectorXd>(happened.place.data(), dim));
  };
  if (n.narrowed > 0)
    log.warn(counted(n.narrowed, "time") + " during the run a body, or a piece of one, was given up as it got narrower " +
             "than three cells, first " + first(n.first_narrowed) +
             ": it is no body that keeps its velocity any more; where it meets others velocities mix, and energies "
             "afterwards may be wrong. Take more Mesh/Cells per unit length.");
  if (n.fused > 0)
    log.warn("No colour was free for " + counted(n.fused, "body") + " at a time, first " + first(n.first_fused) +
             ": more of them are near each other than there are colours, so that velocities mix and energies afterwards may "
             "be wrong" +
             (n.fusions > 0 ? "; " + counted(n.fusions, "body") + " became one with another that " +
                                  (n.fusions == 1 ? "it touches" : "they touch") + "."
                            : "."));
}

geometry::Mesh flow_mesh(std::shared_ptr<const geometry::Mesh> shape, const macro::CongestedFlow &flow,
                         const FlowPressures &pressures)
{
  using geometry::array_of;
  geometry::Mesh mesh = geometry::continuum(shape->cell_type);
  mesh.cell_data      = geometry::list_of(
           array_of("rho", "", own_values(flow.rho())), geometry::vectors_of("u", "m/s", flow.cell_velocities()),
           array_of("p", "m^2/s^2", pressures.p.transpose()), array_of("p_step", "m^2/s^2", own_values(flow.pressure())),
           array_of("impulse", "m^2/s", pressures.impulse.transpose()),
           array_of("rho_max", "", own_values(flow.setting().rho_max)));
  mesh.shape = std::move(shape);
  return mesh;
}

void write_profile(std::ostream &out, const macro::CongestedFlow &flow, const FlowPressures &pressures,
                   const geometry::Vector &p_mean, const ExactProfile &exact)
{
  const geometry::BoxGrid &grid = flow.rho().box_grid();
  const Eigen::MatrixXd    u    = flow.cell_velocities();
  out << "x,left,right,rho,u,p,p_mean,impulse,rho_max" << (exact.name.empty() ? "\n" : ",rho_exact,u_exact\n");
  for (Index i = 0; i < grid.n[0]; ++i)
    {
      const double left  = grid.lower(0) + static_cast<double>(i) * grid.h(0),
                   right = grid.lower(0) + static_cast<double>(i + 1) * grid.h(0);
      out << digits(grid.centre({i, 0, 0})(0)) << ',' << digits(left) << ',' << digits(right) << ','
          << digits(flow.rho()({i, 0, 0})) << ',' << digits(u(0, i)) << ',' << digits(pressures.p(i)) << ','
          << digits(p_mean(i)) << ',' << digits(pressures.impulse(i)) << ',' << digits(flow.setting().rho_max({i, 0, 0}));
      if (!exact.name.empty())
        out << ',' << digits(exact.rho[i]) << ',' << digits(exact.u[i]);
      out << '\n';
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
