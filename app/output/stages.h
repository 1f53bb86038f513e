// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_APP_OUTPUT_STAGES_H
#define MOREAU_APP_OUTPUT_STAGES_H

#include "app/output/progress.h"

#include <memory>
#include <sstream>
#include <string>

namespace dealii
{
class TimerOutput;
}

namespace moreau::app
{
/// The stages of a run, timed.
class Stages
{
public:
  /// shown: whether a stage that takes long is shown on the terminal.
  explicit Stages(bool shown);
  ~Stages();

  /// The table for log.txt.
  std::string table();

private:
  friend class Stage;
  bool                                 shown;
  std::ostringstream                   text;
  std::unique_ptr<dealii::TimerOutput> timer;
};

/// One stage, from construction to destruction.
class Stage
{
public:
  /// name: in the table; what: on the terminal.
  Stage(Stages &stages, const std::string &name, const std::string &what);
  ~Stage();
  Stage(const Stage &) = delete;

  void done(const double fraction) { progress.done(fraction); }

private:
  Stages     &stages;
  std::string name;
  Progress    progress;
};
} // namespace moreau::app

#endif
