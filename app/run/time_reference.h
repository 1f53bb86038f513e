// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_APP_RUN_TIME_REFERENCE_H
#define MOREAU_APP_RUN_TIME_REFERENCE_H

#include "app/input/motion_setting.h"
#include "app/output/log.h"
#include "micro/motion/trajectory.h"

#include <optional>
#include <string>

namespace moreau::app
{
/// The mass of the sphere that each coordinate belongs to (d n).
micro::Vector masses_of_coordinates(const micro::Spheres &spheres);

/// What motions are compared with.
struct TimeReference
{
  std::string                           name;        ///< "exact", "finest", "events"
  std::string                           description; ///< for the log
  std::optional<micro::ExactTrajectory> exact;
  std::optional<micro::Trajectory>      motion; ///< none for "finest" until it is computed
  double                                h = 0.; ///< of "finest" (s)
};

/// How many times smaller than the smallest step that of the reference
/// `finest` is: an order 1 then reads 1.22 between the last two levels.
constexpr double finest_ratio = 4.;

/// Chooses the reference and looks whether it can be had: formulas are evaluated at both ends, conditions on `events` are
/// checked, nothing long is done.
/// Throws InputError("Time convergence/...") where it cannot.
TimeReference time_reference(const MotionSetting &setting, const Parameters &parameters);

/// Spheres that move freely from impact to impact until T, exactly; warns where the order of impacts hangs on a
/// tolerance. Throws InputError for more impacts than it is meant for.
micro::Trajectory followed_events(const MotionSetting &setting, const Parameters &parameters, Log &log);
} // namespace moreau::app

#endif
