// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/output/stages.h"

#include "macro/watched.h"

#include <deal.II/base/timer.h>

namespace moreau::app
{
Stages::Stages(const bool shown)
    : shown(shown)
    , timer(std::make_unique<dealii::TimerOutput>(text, dealii::TimerOutput::never, dealii::TimerOutput::wall_times))
{}

Stages::~Stages() = default;

std::string Stages::table()
{
  text.str("");
  timer->print_summary();
  return text.str();
}

Stage::Stage(Stages &stages, const std::string &name, const std::string &what)
    : stages(stages), name(name), line(what, stages.shown)
{
  stages.timer->enter_subsection(name);
}

convex::StoppingCriterion Stage::watched(const convex::StoppingCriterion &criterion)
{
  return macro::watched(criterion, progress());
}

Stage::~Stage() { stages.timer->leave_subsection(name); }
} // namespace moreau::app
