// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_APP_OUTPUT_OUTPUT_DIRECTORY_H
#define MOREAU_APP_OUTPUT_OUTPUT_DIRECTORY_H

#include <filesystem>
#include <functional>
#include <iosfwd>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace moreau::app
{
class Log;

/// The folder in the output directory where Catalyst scripts put what they make.
inline constexpr const char *in_situ_folder = "in_situ";

/// A file in it that says that a run made the folder, so that the next one may remove it.
inline constexpr const char *in_situ_mark = ".made_by_moreau";

/// Whether the file lies in the folder or in one below it, links followed.
bool lies_in(const std::filesystem::path &file, const std::filesystem::path &folder);

/// Looks whether a directory could be made and written there, and whether results would replace files of others, unless
/// the run goes on with what lies there. Changes nothing: before work that takes long. Throws InputError("Output directory",
/// ...).
void require_usable(const std::filesystem::path &directory, bool goes_on = false);

/// A file that is in an output directory while a run writes there, and locked by it. A run that is killed leaves it.
class RunningMark
{
public:
  /// Throws InputError("Output directory", ...) where another run has it, and std::filesystem::filesystem_error.
  explicit RunningMark(const std::filesystem::path &directory);
  ~RunningMark();
  RunningMark(const RunningMark &) = delete;

  bool is_left_by_another_run() const { return was_there; }

  /// Until then what was there stays.
  void remove_at_end() { stays = false; }

private:
  std::filesystem::path file;
  int                   descriptor = -1;
  bool                  was_there = false, stays = false;
};

/// Where a run puts its results. Made and tried out before long work begins, and cleared of the results of an earlier run:
/// what lies there belongs to one run, and summary.json only to one that ended. Other files, and those that the run reads,
/// are left alone; where files of others have the names of results, the directory is refused. One run at a time.
class OutputDirectory
{
public:
  /// inputs: files that the run reads. to_go_on_with: results of a run that stopped and goes on now; they stay, also where
  /// it fails, and so does what is written; other results of it are removed. Empty: the run begins anew.
  /// Throws InputError("Output directory", ...) where nothing can be written, or where results would replace an input.
  OutputDirectory(std::filesystem::path path, const std::vector<std::filesystem::path> &inputs,
                  std::set<std::string> to_go_on_with = {});

  /// Removes what was written, and the folders that were made, unless the run has come to its end.
  ~OutputDirectory();
  OutputDirectory(const OutputDirectory &) = delete;

  const std::filesystem::path &path() const { return directory; }

  /// Says so where results of an earlier run were removed when this was made.
  void say_what_is_replaced(Log &log) const;

  /// Writes a file that appears complete or not at all. Throws InputError as above.
  void write(const std::string &file, const std::function<void(std::ostream &)> &write) const;

  /// The same where a library makes the file at the place that it is told.
  void make(const std::string &file, const std::function<void(const std::filesystem::path &)> &make) const;

  /// The same as write() for a file that stays where the run fails.
  void write_lasting(const std::string &file, const std::function<void(std::ostream &)> &write);

  /// The results are complete, or worth keeping as far as they go.
  void keep() { kept = true; }

private:
  bool is_input(const std::filesystem::path &file) const;
  void require_inputs_to_stay() const;
  void remove_results() const;
  void remove_made_folders();

  std::vector<std::filesystem::path> results() const;

  std::filesystem::path              directory;
  std::vector<std::filesystem::path> inputs;
  std::set<std::string>              to_go_on_with;
  std::vector<std::filesystem::path> made; ///< folders, innermost first
  std::optional<RunningMark>         mark;
  bool                               kept, replaced = false;
};

/// Runs what writes several files into such a directory; their std::runtime_error becomes an InputError as above.
void guard_writing(const std::function<void()> &write_files);
} // namespace moreau::app

#endif
