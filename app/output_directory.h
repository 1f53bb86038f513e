// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_APP_OUTPUT_DIRECTORY_H
#define MOREAU_APP_OUTPUT_DIRECTORY_H

#include <filesystem>
#include <functional>
#include <iosfwd>
#include <string>

namespace moreau::app
{
/// Where a run puts its results. Made and tried out before long work begins; the summary.json of an earlier run is removed, so that
/// there is one only for runs that ended. A directory that was made and stayed empty is removed again.
class OutputDirectory
{
public:
  /// Throws InputError("Output directory", ...) where nothing can be written.
  explicit OutputDirectory(std::filesystem::path path);
  ~OutputDirectory();
  OutputDirectory(const OutputDirectory &) = delete;

  const std::filesystem::path &path() const { return directory; }

  /// Writes a file that appears complete or not at all. Throws InputError as above.
  void write(const std::string &file, const std::function<void(std::ostream &)> &write) const;

  /// Runs what writes several files; their std::runtime_error becomes an InputError as above.
  void guard(const std::function<void()> &write_files) const;

private:
  std::filesystem::path directory;
  bool                  made = false;
};
} // namespace moreau::app

#endif
