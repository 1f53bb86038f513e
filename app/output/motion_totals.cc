// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/output/motion_totals.h"

#include "app/input/words.h"
#include "app/output/worst.h"

#include <algorithm>
#include <limits>

namespace moreau::app
{
namespace
{
void raise(std::int64_t &largest, const std::int64_t n) { largest = std::max(largest, n); }
} // namespace

void MotionTotals::add(const micro::StepRecord &record, const double seconds)
{
  ++n_steps;
  n_iterations += record.n_iterations;
  n_projections += record.n_projections;
  n_collapsed += record.collapsed;
  raise(contacts_max, record.n_contacts);
  raise(constraints_max, record.n_constraints);
  raise(iterations_max, record.n_iterations);
  raise(max_overlap, record.max_overlap);
  raise(momentum_error, record.momentum_error);
  raise(natural_residual, record.natural_residual);
  raise(relative_error_bound, record.relative_error_bound);
  guaranteed = guaranteed && (record.guaranteed || record.n_projections == 0);
  search_time += record.search_time;
  projection_time += record.projection_time;
  wall_time += seconds;
  if (record.status == convex::Status::converged)
    return;
  ++n_not_converged;
  raise(worst_not_converged, record.natural_residual);
  if (first_not_converged.empty())
    first_not_converged =
        "step " + std::to_string(record.step) + " (t = " + short_number(record.time) + " s): " + convex::name(record.status);
}

std::string complaint(const std::int64_t n_not_converged, const std::int64_t n_steps, const std::string &first,
                      const double worst_residual)
{
  return std::to_string(n_not_converged) + " of " + counted(n_steps, "step") + " did not converge, the first was " + first +
         "; the worst natural residual of these is " + short_number(worst_residual);
}

std::string MotionTotals::complaint() const
{
  return app::complaint(n_not_converged, n_steps, first_not_converged, worst_not_converged);
}

nlohmann::ordered_json summary_of(const MotionTotals &totals, const micro::StepRecord &last, Summary summary)
{
  summary.converged     = totals.converged();
  summary.n_constraints = totals.constraints_max;
  summary.wall_time     = totals.wall_time;
  summary.energy_before = totals.energy_before;
  summary.energy_after  = last.kinetic_energy;

  summary.energy_projected   = std::numeric_limits<double>::quiet_NaN(); // of every step another one
  summary.tolerance_demanded = summary.tolerance;

  convex::Certificate &c = summary.certificate;
  c                      = certificate_of_steps();
  c.guaranteed           = totals.guaranteed;
  c.relative_error_bound = totals.relative_error_bound;
  c.natural_residual     = totals.natural_residual;

  nlohmann::ordered_json json = to_json(summary);
  json["iterations"]          = totals.n_iterations;
  json["steps"]               = totals.n_steps;
  json["final_time"]          = number(last.time);
  json["max_overlap"]         = number(totals.max_overlap);
  json["contacts_max"]        = totals.contacts_max;
  json["momentum_error"]      = number(totals.momentum_error);
  json["constraint_work"]     = number(last.constraint_work);
  json["dissipated_energy"]   = number(last.dissipated);
  json["work"]                = number(last.work);
  json["momentum_after"]      = std::vector<double>(last.momentum.begin(), last.momentum.end());
  json["collapsed"]           = totals.n_collapsed;
  json["projections"]         = totals.n_projections;
  json["iterations_max"]      = totals.iterations_max;
  json["search_time_s"]       = number(totals.search_time);
  json["projection_time_s"]   = number(totals.projection_time);
  json["steps_not_converged"] = totals.n_not_converged;
  if (!totals.converged())
    json["first_not_converged"] = totals.first_not_converged;
  return json;
}
} // namespace moreau::app
