// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_APP_INPUT_MOTION_SETTING_H
#define MOREAU_APP_INPUT_MOTION_SETTING_H

#include "app/input/sphere_setting.h"
#include "micro/motion/mechanical_system.h"
#include "micro/motion/sphere_motion.h"

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace moreau::app
{
/// What a parameter file says about a motion. A motion can be made from it as often as one likes.
struct MotionSetting
{
  std::shared_ptr<const micro::MechanicalSystem> system;  ///< null where spheres move
  micro::SphereSystem                            spheres; ///< where they do
  std::optional<PackingReport>                   packing; ///< where they are packed at random
  micro::MotionParameters                        parameters;
  micro::MeasurementPlan                         measured; ///< of spheres
  std::vector<std::filesystem::path>             inputs;   ///< files that were read, the parameter file first
  std::string                                    remark;   ///< that of Configuration
  std::string                                    warning;  ///< where a force points to a side that is open; empty: none

  bool moves_spheres() const { return !system; }

  std::unique_ptr<micro::Motion>       make_motion() const;        ///< Throws InputError.
  std::unique_ptr<micro::SphereMotion> make_sphere_motion() const; ///< the same where spheres move
};

/// A motion and, where spheres move, what only they have.
struct Moving
{
  explicit Moving(const MotionSetting &setting);

  std::unique_ptr<micro::Motion> motion;
  micro::SphereMotion           *spheres = nullptr; ///< the same, or null
};

/// What is around spheres: force, walls and obstacles, periods; no spheres. All that can be read before they are packed, the
/// velocity and the growth too, is looked at. Throws InputError.
micro::SphereSystem surroundings(const Parameters &parameters);

/// Builds it, random packings included. Names of files are written back to
/// `file`, so that its print-out repeats the run. Throws InputError.
/// progress: of what takes long; may be empty.
MotionSetting motion_setting(ParameterFile &file, const std::function<void(double)> &progress = {});
} // namespace moreau::app

#endif
