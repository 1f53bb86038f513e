// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_APP_OUTPUT_STAGES_H
#define MOREAU_APP_OUTPUT_STAGES_H

#include "app/output/progress.h"

#include "convex/cone_projection.h"
#include "geometry/progress.h"

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

  void done(const double fraction) { line.done(fraction); }

  /// For rooms below, which tell it how much is done. The stage must outlive its use.
  geometry::Progress progress()
  {
    return [this](const double fraction) { done(fraction); };
  }

  /// The criterion, with the errors that solvers report to it shown, as macro::watched() has it. The stage must outlive its
  /// use.
  convex::StoppingCriterion watched(const convex::StoppingCriterion &criterion);

private:
  Stages     &stages;
  std::string name;
  Progress    line;
};
} // namespace moreau::app

#endif
