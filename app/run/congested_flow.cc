// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/run/congested_flow.h"

#include "app/run/distributed_state.h"
#include "app/output/flow_files.h"
#include "app/run/flow_line.h"
#include "app/input/flow_setting.h"
#include "app/run/flow_steps.h"
#include "app/input/macro_setting.h"
#include "app/run/time_run.h"
#include "app/input/words.h"
#include "app/output/worst.h"

#include "convex/input_error.h"
#include "convex/vectors.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <stdexcept>

namespace moreau::app
{
namespace
{
using nlohmann::json;

constexpr const char *shown_pressure = "p of the last picture", *shown_impulse = "impulse of the last picture";

void say_setting(const macro::FlowSetting &setting, Log &log)
{
  std::vector<std::string> extents;
  for (int axis = 0; axis < setting.grid.dim; ++axis)
    extents.push_back(std::to_string(setting.grid.n[axis]));
  const auto count = [&](const macro::Boundary kind) {
    return std::count(setting.sides.begin(), setting.sides.begin() + 2 * setting.grid.dim, kind);
  };
  std::string sides;
  for (const auto &[kind, name] : {std::pair<macro::Boundary, std::string>(macro::Boundary::wall, "wall"),
                                   {macro::Boundary::inflow, "side with inflow"},
                                   {macro::Boundary::periodic, "periodic side"},
                                   {macro::Boundary::open, "open side"}})
    if (count(kind) > 0)
      sides += (sides.empty() ? "" : ", ") + counted(count(kind), name);
  log.line(joined(extents, " x ") + " cells of " + short_number(setting.grid.h(0)) + " m; " + sides);
}

geometry::Processes processes_of(const Parameters &parameters)
{
  return is_distributed(parameters) ? geometry::Processes() : geometry::Processes::alone();
}

macro::FlowSetting staged_setting(ParameterFile &file, Stages &stages, const geometry::Processes &processes)
{
  const Stage stage(stages, "Setting", "evaluating the initial state");
  return flow_setting(file, processes);
}

/// One run, from the beginning or from a checkpoint.
class FlowRun : public TimeRun
{
public:
  FlowRun(ParameterFile &file, Log &log, const bool resume)
      : TimeRun(file, log, resume, processes_of(file.values()))
      , flow(staged_setting(file, stages, processes))
      , steps(parameters)
  {
    say_setting(flow.setting(), log);
    check_comparison(file);
    if (!parameters.zone.file.empty())
      read_inputs = {parameters.zone.file};
    if (checkpoint)
      go_on();
    else
      totals.energy_before = flow.record().kinetic_energy;
  }

private:
  void go_on();

  std::vector<std::filesystem::path> input_files() const
  {
    std::vector<std::filesystem::path> files = read_inputs;
    files.push_back(file.path());
    return files;
  }

  std::int64_t step() const override { return flow.record().step; }
  double       time() const override { return flow.time(); }
  bool         is_at_end() const override { return time() >= parameters.motion.time.end_time; }
  double       fraction() const override { return std::min(1., time() / parameters.motion.time.end_time); }
  std::string  how_it_goes() const override;
  std::string  where_it_is() const override;
  bool         converged() const override { return totals.converged(); }

  void                   begin_files() override;
  void                   advance() override;
  Checkpoint             state() override;
  void                   add_results() override;
  void                   finish_files() override { files->finish(); }
  void                   say_result() override;
  nlohmann::ordered_json summary() const override;
  OutputDirectory       &output() override { return files->output(); }

  macro::CongestedFlow     flow;
  FlowSteps                steps;
  FlowTotals               totals;
  FlowPressures            shown; ///< by the run that goes on
  std::optional<FlowFiles> files;
  nlohmann::ordered_json   comparison;
};

void FlowRun::go_on()
{
  TimeRun::go_on("Zone/File");
  const json &run = checkpoint->run;
  if (const int n = run.at("processes"); n != processes.size())
    throw InputError("Output directory", "The checkpoint is of another number of processes, " + std::to_string(n) +
                                             " instead of " + std::to_string(processes.size()) +
                                             "; start as many as then, or leave out --resume to begin anew.");
  try
    {
      convex::NamedArrays state = share_of(checkpoint->motion, processes.rank());
      shown = {convex::vector(state.reals.at(shown_pressure)), convex::vector(state.reals.at(shown_impulse))};
      state.reals.erase(shown_pressure);
      state.reals.erase(shown_impulse);
      flow.restore(state);
    }
  catch (const std::logic_error &) // std::invalid_argument, std::out_of_range
    {
      throw InputError("Output directory", "The checkpoint is of another flow; leave out --resume to begin anew.");
    }
  if (time() > parameters.motion.time.end_time)
    throw InputError("Time/End time", "The checkpoint is at t = " + short_number(time()) + " s, beyond " +
                                          short_number(parameters.motion.time.end_time) + " s; give a later end.");
  run.at("totals").get_to(totals);
  if (!(parameters.motion.time.output_every > 0.)) // as the whole run, even where it became longer
    steps.set_interval_of_pictures(run.at("interval_of_pictures"));
  log.line("goes on from the checkpoint after " + where_it_is());
}

void FlowRun::begin_files()
{
  if (checkpoint)
    files.emplace(parameters, log, input_files(), flow, checkpoint->run.at("files"), std::move(shown));
  else
    files.emplace(parameters, log, input_files(), flow);
}

void FlowRun::advance()
{
  const auto     start = convex::Clock::now();
  const FlowStep next  = steps.next(time(), flow.longest_step());
  if (next.reduced && totals.n_reduced++ == 0)
    log.line("  Steps are shorter than Time/Time step = " + short_number(parameters.motion.time.steps.front()) +
             " s where the CFL condition asks for it; at t = " + short_number(time()) + " s it allows " +
             short_number(next.t - time()) + " s.");
  flow.advance(next.t);
  totals.add(flow.record(), convex::seconds_since(start));
  files->add_step();
  if (next.has_picture)
    files->add_picture();
}

Checkpoint FlowRun::state()
{
  convex::NamedArrays mine = flow.state();
  mine.reals.emplace(shown_pressure, convex::values(files->shown().p));
  mine.reals.emplace(shown_impulse, convex::values(files->shown().impulse));
  Checkpoint now;
  now.motion = gathered(mine, processes);
  now.run    = {{"files", files->flush()},
                {"totals", totals},
                {"interval_of_pictures", steps.interval_of_pictures()},
                {"processes", processes.size()}};
  return now;
}

void FlowRun::add_results()
{
  files->add_picture();
  files->write_profile();
  if (!parameters.flow.compare_with.empty())
    comparison = compare_on_line(file, flow, files->output(), log);
}

std::string FlowRun::where_it_is() const
{
  return "step " + std::to_string(step()) + ", t = " + short_number(time()) + " s";
}

std::string FlowRun::how_it_goes() const
{
  const macro::FlowRecord &record = flow.record();
  return "t = " + short_number(record.time) + " s of " + short_number(parameters.motion.time.end_time) + " s, step " +
         std::to_string(step()) + ": kinetic energy " + short_number(record.kinetic_energy) + ", congested volume " +
         short_number(record.congested_volume);
}

nlohmann::ordered_json FlowRun::summary() const
{
  const geometry::BoxGrid &grid = flow.setting().grid;
  Summary                  summary;
  summary.problem       = parameters.problem;
  summary.dimension     = parameters.dimension;
  summary.tolerance     = parameters.criterion.tolerance;
  summary.n_constraints = grid.n_cells();
  for (int axis = 0; axis < grid.dim; ++axis)
    summary.n_unknowns += grid.n_cells() / grid.n[axis] * (grid.n[axis] + 1); // velocities on faces

  nlohmann::ordered_json json = summary_of(totals, flow.record(), summary);
  if (grid.dim == 1)
    json["fronts"] = fronts(flow);
  json["method"]       = parameters.flow.method;
  json["density_flux"] = parameters.flow.density_flux;
  json["cfl_number"]   = number(parameters.flow.cfl);
  json["restitution"]  = number(parameters.restitution);
  json["cells"]        = grid.n_cells();
  json["processes"]    = processes.size();
  json["pictures"]     = files->n_pictures();
  json["resumed"]      = n_resumed;
  if (!comparison.is_null())
    json["comparison"] = comparison;
  return json;
}

void FlowRun::say_result()
{
  const macro::FlowRecord &last = flow.record();
  const auto               row  = [&](const std::string &name, const std::string &text) { log.row(name, text); };
  row("steps", std::to_string(totals.n_steps) + " until t = " + short_number(last.time) + " s, " +
                   short_number(totals.wall_time) + " s" +
                   (totals.n_reduced > 0 ? "; " + std::to_string(totals.n_reduced) + " reduced by the CFL condition" : ""));
  row("kinetic energy", short_number(totals.energy_before) + ", then " + short_number(last.kinetic_energy) +
                            "; work of forces " + short_number(last.work));
  row("density", "between " + short_number(totals.min_density) + " and " + short_number(totals.max_density) +
                     " of the largest possible");
  row("congested volume", short_number(last.congested_volume) + "; mass " + short_number(last.mass));
  row("mean pressure", short_number(last.impulse / last.time) + ", integral over the box, mean over time");
  row("errors", "mass " + short_number(totals.mass_error) + ", momentum " + short_number(totals.momentum_error) +
                    " at most, relative");
  row("congestion problems", std::to_string(totals.n_solves) + " solved, " + counted(totals.n_iterations, "iteration") +
                                 ", " + short_number(totals.congestion_time) + " s; transport " +
                                 short_number(totals.transport_time) + " s" +
                                 (totals.n_impacts > 0 ? "; " + counted(totals.n_impacts, "impact") + " with rebound" : ""));
  row("natural residual", short_number(totals.natural_residual) + " at worst");
  if (totals.n_collapsed > 0)
    row("inelastic collapses", counted(totals.n_collapsed, "step") + " ended by an inelastic projection");
  row("files", (files->output().path() / "").string() + ": open solution.pvd in ParaView");
  log.line(totals.converged() ? "converged"
                              : "not converged: " + complaint(totals.n_not_converged, totals.n_steps,
                                                              totals.first_not_converged, totals.worst_not_converged));
}

bool is_on_line(const Parameters &parameters) { return parameters.flow.method != "finite volumes"; }
} // namespace

ExitStatus congested_flow(ParameterFile &file, Log &log, const bool resume)
{
  if (!is_on_line(file.values()))
    return FlowRun(file, log, resume).run();
  if (resume)
    throw InputError("Congested flow/Method",
                     "'" + file.values().flow.method + "' has nothing to resume; leave out --resume.");
  return flow_on_line(file, log);
}

void check_congested_flow(ParameterFile &file, Log &log)
{
  if (is_on_line(file.values()))
    {
      check_flow_on_line(file, log);
      return;
    }
  const macro::CongestedFlow flow(flow_setting(file, processes_of(file.values())));
  say_setting(flow.setting(), log);
  flow.longest_step(); // which evaluates the force
  check_comparison(file);
  log.line("the parameters are valid");
}
} // namespace moreau::app
