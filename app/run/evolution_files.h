// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_APP_RUN_EVOLUTION_FILES_H
#define MOREAU_APP_RUN_EVOLUTION_FILES_H

#include "app/output/pictures.h"
#include "app/output/step_table.h"
#include "app/run/evolution.h"

#include <functional>
#include <optional>

namespace moreau::app
{
/// The files that grow with an evolution: statistics.csv, its own table, pictures. All processes make one and call the same
/// functions: each writes its own part of pictures, the first one all the rest. Where one of them cannot write, all throw
/// the same InputError.
class EvolutionFiles
{
public:
  /// earlier: flush() of the first process in the run that goes on; null for one that begins, whose initial state becomes
  /// the first picture.
  EvolutionFiles(const ParameterFile &file, Log &log, Evolution &evolution, const nlohmann::json &earlier);

  /// Lines for a step, and what scripts in situ see of it.
  void add_step(const Record &record);

  /// A picture of now, unless it is the last one already.
  void add_picture(const geometry::Progress &progress = {});

  std::size_t n_pictures() const { return pictures; }

  /// Brings all to the disk and says what a run that goes on from here needs to know.
  nlohmann::json flush();

  /// Gives all files their names.
  void finish();
  void finish_alone(); ///< the same where the others may not come: after an error of this process

  /// Of the first process.
  OutputDirectory &output() { return *directory; }

private:
  void by_first(const std::function<void()> &write_files) const;
  void add_rows(bool per_picture);
  void finish_tables();

  Evolution                     &evolution;
  std::optional<OutputDirectory> directory;
  std::optional<StepTable>       statistics;
  std::vector<StepTable>         tables; ///< as those of the evolution
  std::optional<Pictures>        snapshots;
  unsigned int                   pictures     = 0;
  std::int64_t                   last_picture = -1; ///< its step
};
} // namespace moreau::app

#endif
