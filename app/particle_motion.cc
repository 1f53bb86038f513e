// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/particle_motion.h"

#include "app/checkpoint.h"
#include "app/motion_files.h"
#include "app/motion_totals.h"
#include "app/stages.h"
#include "app/stop_signals.h"
#include "app/time_grid.h"
#include "app/words.h"

#include "convex/input_error.h"

#include <chrono>
#include <optional>
#include <ostream>
#include <stdexcept>

namespace moreau::app
{
namespace
{
using Clock = std::chrono::steady_clock;
using nlohmann::json;

double seconds_since(const Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

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
class MotionRun
{
public:
  MotionRun(ParameterFile &file, Log &log, const bool resume)
      : file(file)
      , parameters(file.values())
      , log(log)
      , stages(!log.is_quiet())
      , grid(parameters.motion.time.end_time, parameters.motion.time.steps.front())
      , checkpoint(resume ? std::make_optional(read_checkpoint(parameters.output_directory)) : std::nullopt)
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

  ExitStatus run();

private:
  void go_on();
  void require_step_of_grid() const;
  void begin_files();

  /// Returns the signal that stopped it; 0: it came to its end.
  int  follow(const StopSignals &signals);
  void advance();
  bool is_checkpoint_due() const;
  void write_checkpoint_now();
  void say_how_it_goes();

  void       write_log() const;
  void       write_summary() const;
  void       say_result();
  ExitStatus stop(int signal);

  std::int64_t step() const { return moving.motion->record().step; }

  ParameterFile                     &file;
  const Parameters                  &parameters;
  Log                               &log;
  Stages                             stages;
  TimeGrid                           grid;
  std::optional<Checkpoint>          checkpoint; ///< to go on from
  MotionSetting                      setting;
  Moving                             moving;
  std::vector<std::filesystem::path> read_inputs;
  std::int64_t                       steps_per_picture;
  std::int64_t                       first_step = 0; ///< of this run
  std::int64_t                       n_resumed  = 0;
  MotionTotals                       totals;
  std::string                        earlier_log;
  std::optional<MotionFiles>         files;
  Clock::time_point                  last_checkpoint = Clock::now(), last_line = Clock::now();
};

void MotionRun::go_on()
{
  require_same_run(*checkpoint, file, read_inputs);
  try
    {
      moving.motion->restore(checkpoint->motion);
    }
  catch (const std::invalid_argument &)
    {
      throw InputError("Output directory", "The checkpoint is of another motion; leave out --resume to begin anew.");
    }
  require_step_of_grid();
  first_step      = step();
  const json &run = checkpoint->run;
  run.at("totals").get_to(totals);
  run.at("log").get_to(earlier_log);
  n_resumed = run.at("resumed").get<std::int64_t>() + 1;
  if (!(parameters.motion.time.output_every > 0.)) // as the whole run, even where it became longer
    run.at("steps_per_picture").get_to(steps_per_picture);
  log.line("goes on from the checkpoint after step " + std::to_string(step()) +
           ", t = " + short_number(moving.motion->time()) + " s");
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
    files.emplace(parameters, setting, moving, checkpoint->run.at("files"));
  else
    files.emplace(parameters, setting, moving);
  checkpoint.reset(); // it is as large as the motion
  files->output.write("parameters.prm", [&](std::ostream &out) { file.print(out); });
  if (setting.packing)
    files->output.write("packing.csv", [&](std::ostream &out) {
      micro::write_csv(out, setting.spheres.spheres, setting.spheres.U); // for other runs with Arrangement = file
    });
}

ExitStatus MotionRun::run()
{
  const StopSignals signals;
  begin_files();
  int signal = 0;
  try
    {
      signal = follow(signals);
    }
  catch (const std::exception &error)
    {
      if (step() > first_step || n_resumed > 0) // what there is shows how it came to this
        {
          files->output.keep();
          log.note(std::string("stopped: ") + error.what());
          try
            {
              files->finish();
              write_log();
            }
          catch (const InputError &) // the first error is the one to tell
            {}
        }
      throw;
    }
  if (signal != 0)
    return stop(signal);
  write_checkpoint_now(); // before the picture of the end, which a longer run would not have here
  files->add_picture();
  {
    const Stage stage(stages, "Output", "writing files");
    if (moving.spheres != nullptr)
      files->output.write("spheres.csv",
                          [&](std::ostream &out) { micro::write_csv(out, moving.spheres->spheres(), moving.motion->u()); });
    files->finish();
  }
  say_result();
  log.note(stages.table());
  write_log();
  write_summary();
  files->output.keep();
  return totals.converged() ? ExitStatus::done : ExitStatus::not_converged;
}

int MotionRun::follow(const StopSignals &signals)
{
  Stage stage(stages, "Motion", "moving " + std::to_string(grid.n_steps - first_step) + " steps");
  while (step() < grid.n_steps)
    {
      advance();
      stage.done(static_cast<double>(step() - first_step) / static_cast<double>(grid.n_steps - first_step));
      if (signals.received() != 0 && step() < grid.n_steps)
        {
          write_checkpoint_now();
          return signals.received();
        }
      if (is_checkpoint_due())
        write_checkpoint_now();
      say_how_it_goes();
    }
  return 0;
}

void MotionRun::advance()
{
  const Clock::time_point start = Clock::now();
  moving.motion->advance(grid.time(step() + 1));
  totals.add(moving.motion->record(), seconds_since(start));
  files->add_step();
  if (step() % steps_per_picture == 0)
    files->add_picture();
}

bool MotionRun::is_checkpoint_due() const
{
  const TimeParameters &time = parameters.motion.time;
  return (time.checkpoint_every > 0 && step() % time.checkpoint_every == 0) ||
         (time.checkpoint_minutes > 0. && seconds_since(last_checkpoint) >= 60. * time.checkpoint_minutes);
}

void MotionRun::write_checkpoint_now()
{
  Checkpoint now;
  now.parameters = lasting_parameters(file);
  now.inputs     = checksums(read_inputs);
  now.run        = {{"files", files->flush()},
                    {"totals", totals},
                    {"log", earlier_log + log.text()},
                    {"resumed", n_resumed},
                    {"steps_per_picture", steps_per_picture}};
  now.motion     = moving.motion->state();
  files->output.guard([&] { write_checkpoint(files->output.path(), now); });
  files->output.keep();
  last_checkpoint = Clock::now();
}

void MotionRun::say_how_it_goes()
{
  constexpr double quiet_time = 10.; // s
  if (step() * 10 / grid.n_steps == (step() - 1) * 10 / grid.n_steps || seconds_since(last_line) < quiet_time)
    return;
  const micro::StepRecord &record = moving.motion->record();
  log.line("  t = " + short_number(record.time) + " s, step " + std::to_string(step()) + " of " +
           std::to_string(grid.n_steps) + ": kinetic energy " + short_number(record.kinetic_energy) + " J, " +
           counted(record.n_contacts, "contact"));
  last_line = Clock::now();
}

ExitStatus MotionRun::stop(const int signal)
{
  files->finish();
  log.line("stopped by " + name_of_signal(signal) + " after step " + std::to_string(step()) + " of " +
           std::to_string(grid.n_steps) + ", t = " + short_number(moving.motion->time()) +
           " s; the same command with --resume goes on from here");
  write_log();
  return signal == SIGINT ? ExitStatus::interrupted : ExitStatus::terminated;
}

void MotionRun::write_log() const
{
  files->output.write("log.txt", [&](std::ostream &out) { out << earlier_log << log.text(); });
}

void MotionRun::write_summary() const
{
  Summary summary;
  summary.problem    = parameters.problem;
  summary.dimension  = parameters.dimension;
  summary.n_unknowns = moving.motion->q().size();
  summary.tolerance  = parameters.tolerance;

  nlohmann::ordered_json summary_json = summary_of(totals, moving.motion->record(), summary);
  summary_json["scheme"]              = parameters.motion.time.scheme;
  summary_json["time_step"]           = number(grid.h);
  summary_json["system"]              = parameters.motion.system.type;
  summary_json["solver"]              = parameters.solver;
  summary_json["restitution"]         = number(parameters.restitution);
  if (setting.moves_spheres())
    {
      summary_json["spheres"]   = setting.spheres.spheres.size();
      summary_json["obstacles"] = setting.spheres.obstacles.size();
      summary_json["pictures"]  = files->n_pictures();
      if (setting.packing)
        summary_json["packing"] = *setting.packing;
    }
  summary_json["resumed"] = n_resumed;
  files->output.write("summary.json", [&](std::ostream &out) { out << summary_json.dump(2) << '\n'; });
}

void MotionRun::say_result()
{
  const micro::StepRecord &last = moving.motion->record();
  const auto               row  = [&](const std::string &name, const std::string &text) {
    log.line("  " + name + std::string(22 - name.size(), ' ') + text);
  };
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
