// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/output/time_convergence_tables.h"

#include "app/output/summary.h"
#include "app/output/table_text.h"
#include "app/input/text/words.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <ostream>

namespace moreau::app
{
namespace
{
/// "0.1, 0.05" of the levels that tend to this limit.
std::string steps_of(const std::vector<TimeLevel> &levels, const int limit)
{
  std::vector<std::string> steps;
  for (const TimeLevel &level : levels)
    if (level.limit == limit)
      steps.push_back(short_number(level.h));
  return joined(steps, ", ");
}

std::string order_text(const std::string &name, const double order) { return name + " " + cell(order, 0, "%.2f").substr(1); }
} // namespace

std::vector<std::string> errors_header()
{
  return {cell("h", 11) + cell("steps", 9) + cell("q error", 12) + cell("order", 7) + cell("u error", 12) +
          cell("order", 7) + cell("impulses", 12) + cell("order", 7) + cell("q to last", 12) + cell("seconds", 10)};
}

std::string errors_row(const TimeLevel &level)
{
  return cell(level.h, 11, "%.5g") + cell(std::to_string(level.totals.n_steps), 9) + cell(level.error.q, 12) +
         cell(level.order.q, 7, "%.2f") + cell(level.error.u, 12) + cell(level.order.u, 7, "%.2f") +
         cell(level.error.impulse, 12) + cell(level.order.impulse, 7, "%.2f") + cell(level.distance.q, 12) +
         cell(level.totals.wall_time, 10, "%.2f") + (level.limit > 0 ? "   limit " + std::to_string(level.limit) : "");
}

std::string sentence_on_two_limits(const std::vector<TimeLevel> &levels, const double distance, const std::string &unit)
{
  if (levels.back().limit == 0)
    return "";
  return "The motions tend to two different limits, " + short_number(distance) + " " + unit +
         " apart, as they may where the exact motion is "
         "not unique: h = " +
         steps_of(levels, 1) + " s to one and h = " + steps_of(levels, 2) + " s to the other.";
}

std::vector<std::string> conclusions(const std::vector<TimeLevel> &levels, const double reference_h)
{
  const micro::TrajectoryError observed = observed_orders(levels);
  const std::string            n_fitted = std::to_string(std::min<std::size_t>(3, levels.size()));
  std::vector<std::string>     lines    = {
             "observed orders       " + order_text("q in sup", observed.q) + ", " + order_text("u in L1", observed.u) + ", " +
             order_text("impulses in L1", observed.impulse) + " (least squares over the last " + n_fitted + " levels)"};
  if (reference_h > 0.)
    {
      const int        last   = static_cast<int>(levels.size()) - 1;
      const TimeLevel &finest = levels[last], &before = levels[std::max(0, level_before(levels, last))];
      const double     seen = std::log((before.h - reference_h) / (finest.h - reference_h)) / std::log(before.h / finest.h);
      lines.push_back("                      the reference has an error too: order 1 reads " +
                      cell(seen, 0, "%.2f").substr(1) + " between the last two levels");
    }
  return lines;
}

void write_convergence(std::ostream &out, const std::vector<TimeLevel> &levels)
{
  std::vector<std::vector<Column>> rows;
  for (const TimeLevel &level : levels)
    rows.push_back({{"h", level.h},
                    {"steps", static_cast<double>(level.totals.n_steps)},
                    {"error_q", level.error.q},
                    {"order_q", level.order.q},
                    {"error_u", level.error.u},
                    {"order_u", level.order.u},
                    {"error_impulse", level.error.impulse},
                    {"order_impulse", level.order.impulse},
                    {"distance_q", level.distance.q},
                    {"distance_order_q", level.distance_order.q},
                    {"distance_u", level.distance.u},
                    {"distance_order_u", level.distance_order.u},
                    {"distance_impulse", level.distance.impulse},
                    {"distance_order_impulse", level.distance_order.impulse},
                    {"limit", level.limit == 0 ? TimeLevel::unknown : level.limit}});
  write_table(out, rows);
}

void write_statistics(std::ostream &out, const std::vector<TimeLevel> &levels)
{
  std::vector<std::vector<Column>> rows;
  for (std::size_t k = 0; k < levels.size(); ++k)
    {
      const Totals &totals = levels[k].totals;
      rows.push_back({{"level", static_cast<double>(k)},
                      {"h", levels[k].h},
                      {"steps", static_cast<double>(totals.n_steps)},
                      {"constraints_max", totals.real("constraints")},
                      {"contacts_max", totals.real("contacts_max")},
                      {"projections", totals.real("projections")},
                      {"iterations", totals.real("iterations")},
                      {"collapsed", totals.real("collapsed")},
                      {"steps_not_converged", static_cast<double>(totals.n_not_converged)},
                      {"max_overlap", totals.real("max_overlap")},
                      {"natural_residual", totals.real("certificate/natural_residual")},
                      {"relative_error_bound", totals.real("certificate/relative_error_bound")},
                      {"momentum_error", totals.real("momentum_error")},
                      {"energy_before", totals.real("energy_before")},
                      {"energy_after", levels[k].last.kinetic_energy},
                      {"work", levels[k].last.work},
                      {"dissipated", levels[k].last.dissipated},
                      {"scheme_error", levels[k].last.scheme_error},
                      {"seconds", totals.wall_time}});
    }
  write_table(out, rows);
}

nlohmann::ordered_json to_json(const TimeLevel &level)
{
  const Totals          &totals = level.totals;
  nlohmann::ordered_json json   = {{"h", number(level.h)},
                                   {"error_q", number(level.error.q)},
                                   {"error_u", number(level.error.u)},
                                   {"order_q", number(level.order.q)},
                                   {"order_u", number(level.order.u)},
                                   {"error_impulse", number(level.error.impulse)},
                                   {"order_impulse", number(level.order.impulse)},
                                   {"distance_q", number(level.distance.q)},
                                   {"distance_u", number(level.distance.u)},
                                   {"distance_order_q", number(level.distance_order.q)},
                                   {"distance_order_u", number(level.distance_order.u)},
                                   {"steps", totals.n_steps},
                                   {"status", totals.converged() ? "converged" : "not converged"},
                                   {"iterations", totals.at("iterations")},
                                   {"contacts_max", totals.at("contacts_max")},
                                   {"max_overlap", number(totals.real("max_overlap"))},
                                   {"momentum_error", number(totals.real("momentum_error"))},
                                   {"natural_residual", number(totals.real("certificate/natural_residual"))},
                                   {"relative_error_bound", number(totals.real("certificate/relative_error_bound"))},
                                   {"energy_after", number(level.last.kinetic_energy)},
                                   {"dissipated_energy", number(level.last.dissipated)},
                                   {"scheme_error", number(level.last.scheme_error)},
                                   {"wall_time_s", number(totals.wall_time)}};
  if (level.limit > 0)
    json["limit"] = level.limit;
  constexpr micro::Index few = 12;
  if (level.final_q.size() <= few)
    json["final_position"] = std::vector<double>(level.final_q.begin(), level.final_q.end());
  return json;
}

Plot convergence_plot(const std::string &title, const bool has_two_limits, const std::string &unit)
{
  Plot plot{"convergence",
            {{"title", title}, {"size", "h"}, {"x_label", "time step h [s]"}, {"y_label", "distance (units below)"}},
            {}};
  if (has_two_limits)
    for (const int limit : {1, 2})
      {
        const std::string name = "positions, limit " + std::to_string(limit);
        plot.add_curve(name + ", to the finest of limit 1, sup [" + unit + "]", "error_q", false, limit);
        plot.add_curve(name + ", to the level before, sup [" + unit + "]", "distance_q", true, limit);
      }
  else
    {
      plot.add_curve("positions, sup [" + unit + "]", "error_q");
      plot.add_curve("positions, to the level before, sup [" + unit + "]", "distance_q", true);
      plot.add_curve("velocities, mean in time [" + unit + "/s]", "error_u");
      plot.add_curve("velocities, to the level before, mean in time [" + unit + "/s]", "distance_u", true);
      plot.add_curve("impulses, mean in time [" + unit + "/s]", "error_impulse");
    }
  return plot;
}
} // namespace moreau::app
