// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_APP_OUTPUT_MOTION_FILES_H
#define MOREAU_APP_OUTPUT_MOTION_FILES_H

#include "app/input/motion_setting.h"
#include "app/output/output_directory.h"
#include "app/output/pictures.h"
#include "app/output/step_table.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <memory>
#include <optional>

namespace moreau::app
{
/// A motion and, where spheres move, what only they have.
struct Moving
{
  explicit Moving(const MotionSetting &setting);

  std::unique_ptr<micro::Motion> motion;
  const micro::SphereMotion     *spheres = nullptr; ///< the same, or null
};

/// The files that grow with a motion: statistics.csv, motion.csv of a mechanical system, pictures of spheres. Throws
/// InputError where they cannot be written.
class MotionFiles
{
public:
  /// earlier: flush() of the run that goes on; null for one that begins, whose initial state becomes the first picture.
  MotionFiles(const Parameters &parameters, const MotionSetting &setting, const Moving &moving, Log &log,
              const nlohmann::json &earlier = nullptr);

  /// Lines for a step, and what scripts in situ see of it.
  void add_step();

  /// A picture of now, unless it is the last one already.
  void add_picture();

  std::size_t n_pictures() const { return pictures; }

  /// Brings all to the disk and says what a run that goes on from here needs to know.
  nlohmann::json flush();

  /// Gives all files their names.
  void finish();

  OutputDirectory output;

private:
  std::vector<insitu::Mesh>    meshes() const;
  static std::set<std::string> to_go_on_with(const nlohmann::json &earlier);

  const Parameters        &parameters;
  const MotionSetting     &setting;
  const Moving            &moving;
  std::optional<StepTable> statistics, trajectory;
  Pictures                 snapshots;
  unsigned int             pictures     = 0;
  std::int64_t             last_picture = -1; ///< its step
};
} // namespace moreau::app

#endif
