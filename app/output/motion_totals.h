// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_APP_OUTPUT_MOTION_TOTALS_H
#define MOREAU_APP_OUTPUT_MOTION_TOTALS_H

#include "app/output/summary.h"
#include "micro/motion/motion.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <string>

namespace moreau::app
{
/// What all steps of a motion together were like.
struct MotionTotals
{
  double energy_before = 0.; ///< kinetic, J

  std::int64_t n_steps = 0, n_iterations = 0, n_projections = 0;
  std::int64_t n_collapsed     = 0; ///< steps
  std::int64_t n_not_converged = 0; ///< steps
  std::int64_t contacts_max = 0, constraints_max = 0, iterations_max = 0;
  double       max_overlap = 0., momentum_error = 0.;            ///< the largest; NaN is larger than any number
  double       natural_residual = 0., relative_error_bound = 0.; ///< the worst
  double       worst_not_converged = 0.;                         ///< residual of steps that did not converge
  bool         guaranteed          = true;
  double       search_time = 0., projection_time = 0., wall_time = 0.; ///< s of the clock; wall_time: of all steps
  std::string  first_not_converged;                                    ///< "step 3 (t = 0.3 s): iteration limit"

  /// seconds: that the step took.
  void add(const micro::StepRecord &record, double seconds);

  bool converged() const { return n_not_converged == 0; }

  /// "2 of 100 steps did not converge, first step 3 ..., worst residual ..."
  std::string complaint() const;
};

/// To and from json, for checkpoints.
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(MotionTotals, energy_before, n_steps, n_iterations, n_projections, n_collapsed,
                                   n_not_converged, contacts_max, constraints_max, iterations_max, max_overlap,
                                   momentum_error, natural_residual, relative_error_bound, worst_not_converged, guaranteed,
                                   search_time, projection_time, wall_time, first_not_converged)

/// What summary.json says of a motion: the keys of every problem, then its own. last: the record of the last step.
nlohmann::ordered_json summary_of(const MotionTotals &totals, const micro::StepRecord &last, Summary summary);
} // namespace moreau::app

#endif
