// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_APP_SWEEP_SWEEP_FILES_H
#define MOREAU_APP_SWEEP_SWEEP_FILES_H

#include "app/output/output_directory.h"
#include "app/sweep/swept.h"

#include <nlohmann/json.hpp>

#include <filesystem>
#include <iosfwd>
#include <set>
#include <string>
#include <vector>

namespace moreau::app
{
/// A run of a sweep, before it has begun and after it has ended.
struct SweptRun
{
  std::string              folder; ///< "run_001", in the output directory
  Combination              combination;
  std::vector<std::string> settings; ///< of --set
  std::string              problem;

  int                    status = -1; ///< of its process; -1: it has not ended
  std::string            complaint;   ///< what it said on stderr, one sentence
  nlohmann::ordered_json summary;     ///< null where there is none

  /// "converged", "not converged", "failed", "stopped", "not run".
  std::string outcome() const;
};

/// Removes the results in a run's folder, and the folder where nothing else is in it.
void remove_run(const std::filesystem::path &folder);

/// Removes what earlier sweeps have left in folders run_001, ..., but in those that are kept.
void remove_earlier_runs(const OutputDirectory &output, const std::set<std::string> &kept);

/// sweep.csv: a row of each run with the swept values, its outcome, and the numbers and truth values of its summary.json
/// that are no parts of tables, "certificate.relative_error_bound", "momentum_after[0]".
void write_sweep_table(std::ostream &out, const std::vector<Swept> &swept, const std::vector<SweptRun> &runs);

/// sweep.png: the part of the kinetic energy that is left, over a swept number, a curve for each combination of the others.
/// Returns one sentence saying why there is no picture, empty where there is one or nothing to draw.
std::string draw_sweep(const std::filesystem::path &folder, const std::vector<Swept> &swept,
                       const std::vector<SweptRun> &runs);
} // namespace moreau::app

#endif
