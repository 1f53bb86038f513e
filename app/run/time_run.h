// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_APP_RUN_TIME_RUN_H
#define MOREAU_APP_RUN_TIME_RUN_H

#include "app/output/checkpoint.h"
#include "app/output/log.h"
#include "app/output/output_directory.h"
#include "app/run/run.h"
#include "app/output/stages.h"
#include "convex/clock.h"
#include "geometry/processes.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <optional>

namespace moreau::app
{
class StopSignals;

/// A run that goes on step by step, from the beginning or from a checkpoint: it writes checkpoints, stops where a signal
/// asks it to, says now and then how it goes, and keeps what it has written where an error ends it. Processes that share it
/// agree on all that; the first one has the files.
class TimeRun
{
public:
  virtual ~TimeRun() = default;
  ExitStatus run();

protected:
  /// resume: the checkpoint in the output directory is read. Throws InputError.
  TimeRun(ParameterFile &file, Log &log, bool resume, const geometry::Processes &processes = geometry::Processes::alone());

  /// Takes from the checkpoint what every run has in it; for constructors. inputs: files that were read, without the
  /// parameter file, which stands in the parameter named there. Throws InputError where it is of another run.
  void go_on(const std::string &parameter_of_inputs);

  // What is followed.
  virtual std::int64_t step() const        = 0;
  virtual double       time() const        = 0; ///< s
  virtual bool         is_at_end() const   = 0;
  virtual double       fraction() const    = 0; ///< of the whole, in [0, 1]
  virtual std::string  how_it_goes() const = 0; ///< a line of the log, without its end
  virtual std::string  where_it_is() const = 0; ///< "step 3 of 10, t = 0.3 s"
  virtual bool         converged() const   = 0;

  // What is done.
  virtual void begin_files() = 0; ///< from the checkpoint, where there is one
  virtual void advance()     = 0; ///< one step, with its lines and pictures
  /// Everything to go on from: `run` and `motion`, and the files brought to the disk; counts on the first process only.
  virtual Checkpoint             state()         = 0;
  virtual void                   add_results()   = 0; ///< the picture of the end and what else is written then
  virtual void                   finish_files()  = 0; ///< gives all files their names
  virtual void                   say_result()    = 0;
  virtual nlohmann::ordered_json summary() const = 0;
  virtual OutputDirectory       &output()        = 0; ///< of the first process

  bool is_first() const { return processes.rank() == 0; }

  ParameterFile                     &file;
  const Parameters                  &parameters;
  Log                               &log;
  geometry::Processes                processes;
  Stages                             stages;
  std::optional<Checkpoint>          checkpoint; ///< to go on from; begin_files() releases it
  std::vector<std::filesystem::path> read_inputs;
  std::int64_t                       first_step = 0; ///< of this run
  std::int64_t                       n_resumed  = 0;

private:
  int        follow(const StopSignals &signals);
  bool       is_checkpoint_due() const;
  void       write_checkpoint_now();
  void       say_how_it_goes();
  void       write_log();
  void       keep_what_there_is(const std::exception &error);
  ExitStatus stop(int signal);

  std::string earlier_log;
  int         tenths = 0; ///< of the whole, after the last step

  convex::Clock::time_point last_checkpoint = convex::Clock::now(), last_line = last_checkpoint;
};
} // namespace moreau::app

#endif
