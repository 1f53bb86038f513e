// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/run/evolution.h"

#include "app/input/text/words.h"
#include "app/output/checkpoint.h"
#include "app/run/distributed_state.h"
#include "app/run/evolution_files.h"
#include "app/run/stop_signals.h"

#include "convex/clock.h"
#include "convex/input_error.h"

#include <ostream>
#include <stdexcept>

namespace moreau::app
{
namespace
{
using convex::Clock;
using convex::seconds_since;
using nlohmann::json;

/// One run. Processes that share it agree on all that it does; the first one has the files.
class EvolutionRun
{
public:
  EvolutionRun(ParameterFile &file, Log &log, bool resume, const std::function<std::unique_ptr<Evolution>(Stages &)> &make);
  ExitStatus run();

private:
  bool is_first() const { return evolution->processes.rank() == 0; }
  bool is_at_end() const { return evolution->fraction() >= 1.; }

  void                   go_on();
  int                    follow(const StopSignals &signals);
  void                   advance();
  bool                   is_checkpoint_due() const;
  void                   write_checkpoint_now();
  void                   say_how_it_goes();
  void                   say_result();
  nlohmann::ordered_json summary() const;
  void                   write_log();
  void                   keep_what_there_is(const std::exception &error);
  ExitStatus             stop(int signal);

  ParameterFile                &file;
  const Parameters             &parameters;
  Log                          &log;
  Stages                        stages;
  std::optional<Checkpoint>     checkpoint; ///< to go on from, until the files are open: it is as large as what moves
  std::unique_ptr<Evolution>    evolution;
  Totals                        totals;
  std::optional<EvolutionFiles> files;
  std::int64_t                  first_step = 0; ///< of this run
  std::int64_t                  n_resumed  = 0;
  std::string                   earlier_log;
  int                           tenths = 0; ///< of the whole, after the last step

  Clock::time_point last_checkpoint = Clock::now(), last_line = last_checkpoint;
};

EvolutionRun::EvolutionRun(ParameterFile &file, Log &log, const bool resume,
                           const std::function<std::unique_ptr<Evolution>(Stages &)> &make)
    : file(file)
    , parameters(file.values())
    , log(log)
    , stages(!log.is_quiet())
    , checkpoint(resume ? std::make_optional(read_checkpoint(parameters.output_directory)) : std::nullopt)
    , evolution(make(stages))
{
  if (checkpoint)
    trust(parameters.output_directory, [this] { go_on(); });
  else
    totals.set(Total::first, evolution->record());
}

void EvolutionRun::go_on()
{
  require_same_run(*checkpoint, file, evolution->inputs, evolution->parameter_of_inputs);
  const json                &run       = checkpoint->run;
  const geometry::Processes &processes = evolution->processes;
  if (const int n = run.at("processes"); n != processes.size())
    throw InputError("Output directory", "The checkpoint is of another number of processes, " + std::to_string(n) +
                                             " instead of " + std::to_string(processes.size()) +
                                             "; start as many as then, or leave out --resume to begin anew.");
  if (const double t = run.at("time"), end = parameters.motion.time.end_time; t > end * (1. + 1e-12))
    throw InputError("Time/End time", "The checkpoint is at t = " + short_number(t) + " s, beyond " + short_number(end) +
                                          " s; give a later end.");
  try
    {
      evolution->restore(share_of(checkpoint->motion, processes.rank()));
    }
  catch (const std::logic_error &) // std::invalid_argument, std::out_of_range
    {
      throw InputError("Output directory",
                       "The checkpoint is of another " + evolution->kind + "; leave out --resume to begin anew.");
    }
  const auto counts_something = [](const std::int64_t n) { return 0 <= n && n < std::int64_t(1) << 53; };
  if (!counts_something(evolution->step()) || !counts_something(run.at("resumed")) ||
      evolution->time() != run.at("time").get<double>())
    throw std::length_error("what it says of time is not what moves"); // damaged
  run.at("totals").get_to(totals);
  if (!totals.fit(evolution->record()))
    throw std::length_error("what it says of all steps is not what they leave"); // damaged
  run.at("log").get_to(earlier_log);
  n_resumed = run.at("resumed").get<std::int64_t>() + 1;
  log.line("goes on from the checkpoint after step " + std::to_string(evolution->step()) +
           ", t = " + short_number(evolution->time()) + " s");
}

ExitStatus EvolutionRun::run()
{
  const StopSignals signals;
  if (checkpoint)
    trust(parameters.output_directory, [this] { files.emplace(file, log, *evolution, checkpoint->run.at("files")); });
  else
    files.emplace(file, log, *evolution, json());
  checkpoint.reset();
  if (is_first())
    {
      evolution->write_setting(files->output());
      files->output().write("parameters.prm", [&](std::ostream &out) { file.print(out); });
    }
  first_step = evolution->step();
  tenths     = static_cast<int>(10. * evolution->fraction());
  int signal = 0;
  try
    {
      signal = follow(signals);
    }
  catch (const std::exception &error)
    {
      if (is_first() && (evolution->step() > first_step || n_resumed > 0))
        keep_what_there_is(error);
      throw;
    }
  if (signal != 0)
    return stop(signal);
  write_checkpoint_now(); // before the picture of the end, which a longer run would not have here
  {
    Stage stage(stages, "Output", "writing files");
    files->add_picture(stage.progress().part(0., .4));
    if (is_first())
      evolution->write_results(files->output(), log, stage.progress().part(.4, 1.));
    files->finish();
  }
  if (is_first())
    {
      const nlohmann::ordered_json result = summary();
      say_result();
      report(files->output(), log, stages, result, earlier_log);
    }
  return totals.converged() ? ExitStatus::done : ExitStatus::not_converged;
}

/// What there is shows how it came to this.
void EvolutionRun::keep_what_there_is(const std::exception &error)
{
  files->output().keep();
  const auto *const of_input = dynamic_cast<const InputError *>(&error);
  log.note("stopped: " + (of_input ? of_input->sentence : error.what()));
  try
    {
      files->finish_alone();
      write_log();
    }
  catch (const InputError &) // the first error is the one to tell
    {}
}

/// Returns the signal that stopped it; 0: it came to its end.
int EvolutionRun::follow(const StopSignals &signals)
{
  Stage        stage(stages, "Motion", "following the motion");
  const double begin = evolution->fraction();
  while (!is_at_end())
    {
      advance();
      stage.done((evolution->fraction() - begin) / (1. - begin));
      if (const auto signal = static_cast<int>(evolution->processes.max(signals.received())); signal != 0 && !is_at_end())
        {
          write_checkpoint_now();
          return signal;
        }
      if (is_checkpoint_due())
        write_checkpoint_now();
      say_how_it_goes();
    }
  return 0;
}

void EvolutionRun::advance()
{
  const auto   start       = Clock::now();
  const bool   has_picture = evolution->advance(totals, log);
  const double seconds     = seconds_since(start);
  const Record record      = evolution->record();
  totals.add(record, seconds);
  files->add_step(record);
  if (has_picture)
    files->add_picture();
}

bool EvolutionRun::is_checkpoint_due() const
{
  const TimeParameters &time = parameters.motion.time;
  if (time.checkpoint_every > 0 && evolution->step() % time.checkpoint_every == 0)
    return true;
  return time.checkpoint_minutes > 0. &&
         evolution->processes.max(seconds_since(last_checkpoint) >= 60. * time.checkpoint_minutes ? 1. : 0.) > 0.;
}

void EvolutionRun::write_checkpoint_now()
{
  Checkpoint now;
  now.motion      = gathered(evolution->state(), evolution->processes);
  now.run         = {{"files", files->flush()},         {"totals", totals},
                     {"time", evolution->time()},       {"processes", evolution->processes.size()},
                     {"log", earlier_log + log.text()}, {"resumed", n_resumed}};
  last_checkpoint = Clock::now();
  geometry::together(evolution->processes, [&] {
    if (!is_first())
      return;
    now.parameters = lasting_parameters(file);
    now.inputs     = checksums(evolution->inputs);
    guard_writing([&] { write_checkpoint(files->output().path(), now); });
    files->output().keep();
  });
}

void EvolutionRun::say_how_it_goes()
{
  constexpr double quiet_time = 10.; // s
  const int        before     = tenths;
  tenths                      = static_cast<int>(10. * evolution->fraction());
  if (tenths == before || seconds_since(last_line) < quiet_time)
    return;
  log.line("  " + evolution->how_it_goes());
  last_line = Clock::now();
}

void EvolutionRun::say_result()
{
  log.line(evolution->verdict(totals));
  log.row("steps", std::to_string(totals.n_steps) + " until t = " + short_number(evolution->time()) + " s, " +
                       short_number(totals.wall_time) + " s" + evolution->about_steps(totals));
  evolution->say_result(totals, log);
  log.row("files", (files->output().path() / "").string() +
                       (evolution->has_pictures ? ": open solution.pvd in ParaView"
                                                : ": " + evolution->tables.front().file + " has the trajectory"));
  log.line(totals.converged() ? "converged" : "not converged: " + totals.complaint());
}

nlohmann::ordered_json EvolutionRun::summary() const
{
  Summary summary(parameters);
  evolution->add_to(summary);
  summary.verdict = evolution->verdict(totals);

  nlohmann::ordered_json result = totals.summary_of(summary);
  result.update(evolution->details());
  result["restitution"] = number(parameters.law.restitution);
  if (evolution->has_pictures)
    result["pictures"] = files->n_pictures();
  result["resumed"] = n_resumed;
  return result;
}

ExitStatus EvolutionRun::stop(const int signal)
{
  files->finish();
  if (is_first())
    {
      log.line("stopped by " + name_of_signal(signal) + " after " + evolution->step_of_all() +
               ", t = " + short_number(evolution->time()) + " s; the same command with --resume goes on from here");
      write_log();
    }
  return signal == SIGINT ? ExitStatus::interrupted : ExitStatus::terminated;
}

void EvolutionRun::write_log()
{
  files->output().write("log.txt", [&](std::ostream &out) { out << earlier_log << log.text(); });
}
} // namespace

ExitStatus follow_evolution(ParameterFile &file, Log &log, const bool resume,
                            const std::function<std::unique_ptr<Evolution>(Stages &)> &make)
{
  return EvolutionRun(file, log, resume, make).run();
}
} // namespace moreau::app
