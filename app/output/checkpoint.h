// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_APP_OUTPUT_CHECKPOINT_H
#define MOREAU_APP_OUTPUT_CHECKPOINT_H

#include "app/input/parameters.h"
#include "convex/named_arrays.h"

#include <nlohmann/json.hpp>

#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace moreau::app
{
/// All that a run needs to go on bit for bit as if it had never stopped.
struct Checkpoint
{
  static constexpr const char *file_name = "checkpoint.moreau";

  /// Of the run, by "Section/Name", without those that may change.
  std::vector<std::pair<std::string, std::string>> parameters;
  std::vector<std::string> inputs; ///< checksums of the files that it read, the parameter file excepted
  convex::NamedArrays      motion;
  nlohmann::json           run; ///< what the run has counted and written
};

/// The parameters of a run that a resumed one must share: all but Output directory, Threads, Time/End time, Time/Output
/// every and Time/Checkpoint every (minutes), which may change; files count by what is in them.
std::vector<std::pair<std::string, std::string>> lasting_parameters(const ParameterFile &file);

/// Checksums of what is in the files; of nothing where one cannot be read.
std::vector<std::string> checksums(const std::vector<std::filesystem::path> &files);

/// Writes it into the directory: complete and on the disk, or the one before it is still there.
/// Throws std::runtime_error "FILE cannot be written: reason".
void write_checkpoint(const std::filesystem::path &directory, const Checkpoint &checkpoint);

/// Throws InputError("Output directory", ...) where there is none, or one that is damaged or belongs to another version.
Checkpoint read_checkpoint(const std::filesystem::path &directory);

/// Reads values of a checkpoint, or what they say. What nlohmann::json does not find, or finds to be something else, becomes
/// the InputError of a damaged one.
void trust(const std::filesystem::path &directory, const std::function<void()> &read);

/// Throws InputError naming the first parameter, or the file, that is not the same as when the checkpoint was written. The
/// files stand in parameter_of_inputs.
void require_same_run(const Checkpoint &checkpoint, const ParameterFile &file,
                      const std::vector<std::filesystem::path> &inputs,
                      const std::string                        &parameter_of_inputs = "Spheres/File");
} // namespace moreau::app

#endif
