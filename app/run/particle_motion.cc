// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/run/particle_motion.h"

#include "app/output/motion_files.h"
#include "app/output/motion_totals.h"
#include "app/output/stages.h"
#include "app/run/time_grid.h"
#include "app/run/time_run.h"
#include "app/input/words.h"

#include "convex/input_error.h"

#include <optional>
#include <ostream>
#include <stdexcept>

namespace moreau::app
{
namespace
{
using nlohmann::json;

void say_setting(const Parameters &parameters, const MotionSetting &setting, Log &log)
{
  if (setting.moves_spheres())
    log.line(counted(setting.spheres.spheres.size(), "sphere") + " in dimension " +
             std::to_string(setting.spheres.spheres.dimension()) + ", walls and obstacles: " +
             std::to_string(setting.spheres.obstacles.size()) + (setting.packing ? "; " + setting.packing->text() : ""));
  else
    log.line(parameters.motion.system.type + ": " + joined(setting.system->coordinate_names(), ", "));
}

MotionSetting staged_setting(ParameterFile &file, Stages &stages)
{
  const bool packs = file.values().spheres.arrangement == "random packing";
  Stage      stage(stages, "Setting", packs ? "packing spheres at random" : "placing spheres");
  return motion_setting(file, [&](const double fraction) { stage.done(fraction); });
}

/// One run, from the beginning or from a checkpoint.
class MotionRun : public TimeRun
{
public:
  MotionRun(ParameterFile &file, Log &log, const bool resume)
      : TimeRun(file, log, resume)
      , grid(parameters.motion.time.end_time, parameters.motion.time.steps.front())
      , setting(staged_setting(file, stages))
      , moving(setting)
  {
    say_setting(parameters, setting, log);
    read_inputs.assign(setting.inputs.begin() + 1, setting.inputs.end());
    const double every = parameters.motion.time.output_every;
    steps_per_picture  = every > 0. ? n_whole_steps(every, grid.h) : (grid.n_steps + 99) / 100;
    if (checkpoint)
      go_on();
    else
      totals.energy_before = moving.motion->record().kinetic_energy;
  }

private:
  void go_on();
  void require_step_of_grid() const;

  std::int64_t step() const override { return moving.motion->record().step; }
  double       time() const override { return moving.motion->time(); }
  bool         is_at_end() const override { return step() >= grid.n_steps; }
  double       fraction() const override { return static_cast<double>(step()) / static_cast<double>(grid.n_steps); }
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
  OutputDirectory       &output() override { return files->output; }

  TimeGrid                   grid;
  MotionSetting              setting;
  Moving                     moving;
  std::int64_t               steps_per_picture;
  MotionTotals               totals;
  std::optional<MotionFiles> files;
};

void MotionRun::go_on()
{
  TimeRun::go_on("Spheres/File");
  try
    {
      moving.motion->restore(checkpoint->motion);
    }
  catch (const std::invalid_argument &)
    {
      throw InputError("Output directory", "The checkpoint is of another motion; leave out --resume to begin anew.");
    }
  require_step_of_grid();
  const json &run = checkpoint->run;
  run.at("totals").get_to(totals);
  if (!(parameters.motion.time.output_every > 0.)) // as the whole run, even where it became longer
    run.at("steps_per_picture").get_to(steps_per_picture);
  log.line("goes on from the checkpoint after step " + std::to_string(step()) + ", t = " + short_number(time()) + " s");
}

void MotionRun::require_step_of_grid() const
{
  const double t = moving.motion->time();
  if (step() > grid.n_steps || t > grid.end * (1. + 1e-12))
    throw InputError("Time/End time", "The checkpoint is at t = " + short_number(t) + " s, beyond " +
                                          short_number(grid.end) + " s; give a later end.");
  if (std::abs(t - grid.time(step())) > 1e-6 * grid.h)
    throw InputError("Time/End time", "The checkpoint is at t = " + short_number(t) +
                                          " s, after a last step that was shorter than Time/Time step, from where no run "
                                          "goes on as if it had not stopped; leave out --resume to begin anew.");
}

void MotionRun::begin_files()
{
  if (checkpoint)
    files.emplace(parameters, setting, moving, log, checkpoint->run.at("files"));
  else
    files.emplace(parameters, setting, moving, log);
  if (setting.packing)
    files->output.write("packing.csv", [&](std::ostream &out) {
      micro::write_csv(out, setting.spheres.spheres, setting.spheres.U); // for other runs with Arrangement = file
    });
}

void MotionRun::advance()
{
  const auto start = convex::Clock::now();
  moving.motion->advance(grid.time(step() + 1));
  totals.add(moving.motion->record(), convex::seconds_since(start));
  files->add_step();
  if (step() % steps_per_picture == 0)
    files->add_picture();
}

Checkpoint MotionRun::state()
{
  Checkpoint now;
  now.run    = {{"files", files->flush()}, {"totals", totals}, {"steps_per_picture", steps_per_picture}};
  now.motion = moving.motion->state();
  return now;
}

void MotionRun::add_results()
{
  files->add_picture();
  if (moving.spheres != nullptr)
    files->output.write("spheres.csv",
                        [&](std::ostream &out) { micro::write_csv(out, moving.spheres->spheres(), moving.motion->u()); });
}

std::string MotionRun::where_it_is() const
{
  return "step " + std::to_string(step()) + " of " + std::to_string(grid.n_steps) + ", t = " + short_number(time()) + " s";
}

std::string MotionRun::how_it_goes() const
{
  const micro::StepRecord &record = moving.motion->record();
  return "t = " + short_number(record.time) + " s, step " + std::to_string(step()) + " of " + std::to_string(grid.n_steps) +
         ": kinetic energy " + short_number(record.kinetic_energy) + " J, " + counted(record.n_contacts, "contact");
}

nlohmann::ordered_json MotionRun::summary() const
{
  Summary summary;
  summary.problem    = parameters.problem;
  summary.dimension  = parameters.dimension;
  summary.n_unknowns = moving.motion->q().size();
  summary.tolerance  = parameters.criterion.tolerance;

  nlohmann::ordered_json json = summary_of(totals, moving.motion->record(), summary);
  json["scheme"]              = parameters.motion.time.scheme;
  json["time_step"]           = number(grid.h);
  json["system"]              = parameters.motion.system.type;
  json["solver"]              = parameters.solver;
  json["restitution"]         = number(parameters.restitution);
  if (setting.moves_spheres())
    {
      json["spheres"]   = setting.spheres.spheres.size();
      json["obstacles"] = setting.spheres.obstacles.size();
      json["pictures"]  = files->n_pictures();
      if (setting.packing)
        json["packing"] = *setting.packing;
    }
  json["resumed"] = n_resumed;
  return json;
}

void MotionRun::say_result()
{
  const micro::StepRecord &last = moving.motion->record();
  const auto               row  = [&](const std::string &name, const std::string &text) { log.row(name, text); };
  row("steps", std::to_string(totals.n_steps) + " until t = " + short_number(last.time) + " s, " +
                   short_number(totals.wall_time) + " s");
  row("kinetic energy", short_number(totals.energy_before) + " J, then " + short_number(last.kinetic_energy) +
                            " J; work of forces " + short_number(last.work) + " J, of walls and growth " +
                            short_number(last.constraint_work) + " J, dissipated " + short_number(last.dissipated) + " J");
  row("largest overlap", short_number(totals.max_overlap) + (setting.moves_spheres() ? " of the smallest radius" : ""));
  row("contacts at most", std::to_string(totals.contacts_max) + " of " + counted(totals.constraints_max, "constraint"));
  row("momentum error", short_number(totals.momentum_error) + " at most, relative");
  row("projections", counted(totals.n_projections, "projection") + ", " + counted(totals.n_iterations, "iteration") + ", " +
                         short_number(totals.projection_time) + " s; search " + short_number(totals.search_time) + " s");
  row("natural residual", short_number(totals.natural_residual) + " at worst; relative error bound " +
                              short_number(totals.relative_error_bound) +
                              (totals.guaranteed ? ", guaranteed" : ", an estimate"));
  if (totals.n_collapsed > 0)
    row("inelastic collapses", counted(totals.n_collapsed, "step") + " ended by an inelastic projection");
  row("files", (files->output.path() / "").string() +
                   (setting.moves_spheres() ? ": open solution.pvd in ParaView" : ": motion.csv has the trajectory"));
  log.line(totals.converged() ? "converged" : "not converged: " + totals.complaint());
}
} // namespace

ExitStatus particle_motion(ParameterFile &file, Log &log, const bool resume) { return MotionRun(file, log, resume).run(); }

void check_particle_motion(ParameterFile &file, Log &log)
{
  if (file.values().spheres.arrangement == "random packing" && file.values().motion.system.type == "spheres")
    {
      log.line("the parameters are valid; the spheres are packed when the problem runs");
      return;
    }
  const MotionSetting setting = motion_setting(file);
  const Moving        moving(setting);
  say_setting(file.values(), setting, log);
  if (const micro::SphereSystem &system = setting.spheres; setting.moves_spheres() && system.force)
    {
      Eigen::MatrixXd f;
      system.force(0., system.spheres.r,
                   Eigen::Map<const Eigen::MatrixXd>(system.U.data(), system.spheres.dimension(), system.spheres.size()), f);
    }
  log.line("the parameters are valid");
}
} // namespace moreau::app
