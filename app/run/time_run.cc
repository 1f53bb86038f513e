// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/run/time_run.h"

#include "app/run/stop_signals.h"

#include "convex/input_error.h"

#include <ostream>

namespace moreau::app
{
using convex::Clock;
using convex::seconds_since;

TimeRun::TimeRun(ParameterFile &file, Log &log, const bool resume, const geometry::Processes &processes)
    : file(file)
    , parameters(file.values())
    , log(log)
    , processes(processes)
    , stages(!log.is_quiet())
    , checkpoint(resume ? std::make_optional(read_checkpoint(parameters.output_directory)) : std::nullopt)
{}

void TimeRun::go_on(const std::string &parameter_of_inputs)
{
  require_same_run(*checkpoint, file, read_inputs, parameter_of_inputs);
  checkpoint->run.at("log").get_to(earlier_log);
  n_resumed = checkpoint->run.at("resumed").get<std::int64_t>() + 1;
}

ExitStatus TimeRun::run()
{
  const StopSignals signals;
  begin_files();
  checkpoint.reset(); // it is as large as what moves
  if (is_first())
    output().write("parameters.prm", [&](std::ostream &out) { file.print(out); });
  first_step = step();
  tenths     = static_cast<int>(10. * fraction());
  int signal = 0;
  try
    {
      signal = follow(signals);
    }
  catch (const std::exception &error)
    {
      if (is_first() && (step() > first_step || n_resumed > 0))
        keep_what_there_is(error);
      throw;
    }
  if (signal != 0)
    return stop(signal);
  write_checkpoint_now(); // before the picture of the end, which a longer run would not have here
  {
    const Stage stage(stages, "Output", "writing files");
    add_results();
    finish_files();
  }
  const nlohmann::ordered_json result = summary();
  if (is_first())
    {
      say_result();
      log.note(stages.table());
      write_log();
      output().write("summary.json", [&](std::ostream &out) { out << result.dump(2) << '\n'; });
      output().keep();
    }
  return converged() ? ExitStatus::done : ExitStatus::not_converged;
}

/// What there is shows how it came to this.
void TimeRun::keep_what_there_is(const std::exception &error)
{
  output().keep();
  log.note(std::string("stopped: ") + error.what());
  try
    {
      finish_files();
      write_log();
    }
  catch (const InputError &) // the first error is the one to tell
    {}
}

/// Returns the signal that stopped it; 0: it came to its end.
int TimeRun::follow(const StopSignals &signals)
{
  Stage        stage(stages, "Motion", "following the motion");
  const double begin = fraction();
  while (!is_at_end())
    {
      advance();
      stage.done((fraction() - begin) / (1. - begin));
      if (const auto signal = static_cast<int>(processes.max(signals.received())); signal != 0 && !is_at_end())
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

bool TimeRun::is_checkpoint_due() const
{
  const TimeParameters &time = parameters.motion.time;
  if (time.checkpoint_every > 0 && step() % time.checkpoint_every == 0)
    return true;
  return time.checkpoint_minutes > 0. &&
         processes.max(seconds_since(last_checkpoint) >= 60. * time.checkpoint_minutes ? 1. : 0.) > 0.;
}

void TimeRun::write_checkpoint_now()
{
  Checkpoint now  = state();
  last_checkpoint = Clock::now();
  if (!is_first())
    return;
  now.parameters     = lasting_parameters(file);
  now.inputs         = checksums(read_inputs);
  now.run["log"]     = earlier_log + log.text();
  now.run["resumed"] = n_resumed;
  output().guard([&] { write_checkpoint(output().path(), now); });
  output().keep();
}

void TimeRun::say_how_it_goes()
{
  constexpr double quiet_time = 10.; // s
  const int        before     = tenths;
  tenths                      = static_cast<int>(10. * fraction());
  if (tenths == before || seconds_since(last_line) < quiet_time)
    return;
  log.line("  " + how_it_goes());
  last_line = Clock::now();
}

ExitStatus TimeRun::stop(const int signal)
{
  finish_files();
  if (is_first())
    {
      log.line("stopped by " + name_of_signal(signal) + " after " + where_it_is() +
               "; the same command with --resume goes on from here");
      write_log();
    }
  return signal == SIGINT ? ExitStatus::interrupted : ExitStatus::terminated;
}

void TimeRun::write_log()
{
  output().write("log.txt", [&](std::ostream &out) { out << earlier_log << log.text(); });
}
} // namespace moreau::app
