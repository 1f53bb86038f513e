// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_APP_OUTPUT_FLOW_FILES_H
#define MOREAU_APP_OUTPUT_FLOW_FILES_H

#include "app/output/flow_output.h"
#include "app/output/output_directory.h"
#include "app/output/pictures.h"
#include "app/output/step_table.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <vector>

namespace moreau::app
{
/// The files that grow with a flow: statistics.csv, pictures, profile.csv at the end. All processes make one and call the
/// same functions: each writes its own part of pictures, the first one all the
/// rest. Throws InputError where files cannot be written.
class FlowFiles
{
public:
  /// A run that begins: its initial state becomes the first picture. inputs: files that it reads.
  FlowFiles(const Parameters &parameters, Log &log, const std::vector<std::filesystem::path> &inputs,
            macro::CongestedFlow &flow);

  /// One that goes on. earlier: its flush() (of the first process); shown: its shown().
  FlowFiles(const Parameters &parameters, Log &log, const std::vector<std::filesystem::path> &inputs,
            macro::CongestedFlow &flow, const nlohmann::json &earlier, FlowPressures shown);

  /// A line for a step, and what scripts in situ see of it.
  void add_step();

  /// A picture of now, unless it is the last one already.
  void add_picture();

  /// profile.csv of a flow on the line, behind add_picture().
  void write_profile() const;

  std::size_t n_pictures() const { return pictures; }

  /// Pressures in the last picture: of this process.
  const FlowPressures &shown() const { return pressures; }

  /// Brings all to the disk and says what a run that goes on from here needs to know.
  nlohmann::json flush();

  /// Gives all files their names.
  void finish();

  /// Of the first process.
  OutputDirectory &output() { return *directory; }

private:
  FlowFiles(const Parameters &parameters, Log &log, const std::vector<std::filesystem::path> &inputs,
            std::set<std::string> to_go_on_with, macro::CongestedFlow &flow);

  bool          is_first() const { return directory.has_value(); }
  FlowPressures pressures_now() const;

  macro::CongestedFlow          &flow;
  geometry::Processes            processes;
  std::optional<OutputDirectory> directory;
  std::optional<StepTable>       statistics;
  std::optional<Pictures>        snapshots;
  unsigned int                   pictures     = 0;
  std::int64_t                   last_picture = -1; ///< its step
  FlowPressures                  pressures;

  std::shared_ptr<const insitu::Mesh> shape; ///< points and cells of all pictures
};
} // namespace moreau::app

#endif
