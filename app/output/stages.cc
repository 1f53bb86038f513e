// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/output/stages.h"

#include <deal.II/base/timer.h>

#include <algorithm>
#include <cmath>

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
    : stages(stages), name(name), progress(what, stages.shown)
{
  stages.timer->enter_subsection(name);
}

convex::StoppingCriterion Stage::watched(convex::StoppingCriterion criterion)
{
  criterion.watch.tell = [this](const double error, const double enough) {
    if (!(error > 0. && enough > 0. && std::isfinite(error)))
      return;
    const double decades = std::max(0., std::log10(error / enough));
    most_decades         = std::max(most_decades, decades);
    if (most_decades > 0.)
      done(1. - decades / most_decades);
  };
  return criterion;
}

Stage::~Stage() { stages.timer->leave_subsection(name); }
} // namespace moreau::app
