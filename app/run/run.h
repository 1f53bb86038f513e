// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_APP_RUN_RUN_H
#define MOREAU_APP_RUN_RUN_H

#include "app/input/parameters.h"
#include "app/output/log.h"
#include "app/output/output_directory.h"
#include "app/output/stages.h"
#include "app/output/summary.h"
#include "geometry/processes.h"

#include <nlohmann/json.hpp>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace moreau::app
{
/// Exit status of the program.
enum class ExitStatus
{
  done          = 0, ///< and certified
  bad_input     = 1,
  not_converged = 2, ///< results are written and marked
  other         = 3,
  interrupted   = 130, ///< stopped by SIGINT where it can go on: 128 + signal, as shells say it
  terminated    = 143  ///< by SIGTERM
};

/// What the "status" in a summary.json means for the program.
ExitStatus status_of(const nlohmann::ordered_json &summary);

/// The end of every run: the log closes with the table of stages, log.txt and summary.json are written, with the `warnings`
/// of the log, and the results stay.
/// earlier_log: of the runs that this one goes on from. Throws InputError where a file cannot be written.
ExitStatus report(OutputDirectory &output, Log &log, Stages &stages, nlohmann::ordered_json summary,
                  const std::string &earlier_log = "");

/// Where the law was applied once and a contact still approaches, or was ended by a projection with e = 0.
void warn_of_end(const convex::Impact &impact, double restitution, Log &log);

/// A problem without checkpoints: it is looked at, or it is computed and reported. Processes that share it call the same
/// functions together; the first one has the files.
class Run
{
public:
  Run(ParameterFile &file, Log &log, const geometry::Processes &processes = geometry::Processes::alone());
  virtual ~Run() = default;

  /// Reads and validates what run() would use, computes and writes nothing. Throws InputError.
  void check();

  /// Throws InputError, also where Solver cannot solve the problem.
  ExitStatus run();

protected:
  virtual void look()        = 0; ///< builds what would be computed with and says what it is
  virtual void compute()     = 0; ///< sets `result` and its verdict; writes all files but those that every run has
  virtual void say_outcome() = 0; ///< the closing table
  virtual nlohmann::ordered_json summary() const = 0;
  virtual double                 demanded() const; ///< relative error bound: by the criterion, in view of the result

  /// Makes the output directory before long work begins. inputs: files that are read besides the parameter file.
  void open(std::vector<std::filesystem::path> inputs);

  bool is_first() const { return processes.rank() == 0; }

  ParameterFile                 &file;
  const Parameters              &parameters;
  Log                           &log;
  geometry::Processes            processes;
  Stages                         stages;
  Summary                        result;
  std::optional<OutputDirectory> output; ///< of the first process
};
} // namespace moreau::app

#endif
