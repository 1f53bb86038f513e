// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/output/shared_files.h"

#include <system_error>

namespace moreau::app
{
std::filesystem::path shared_folder(const std::string &name, const std::filesystem::path &of_sources)
{
  std::error_code             ignored;
  const std::filesystem::path program   = std::filesystem::read_symlink("/proc/self/exe", ignored),
                              installed = program.parent_path().parent_path() / "share/moreau" / name;
  return std::filesystem::is_directory(installed, ignored) ? installed : of_sources;
}
} // namespace moreau::app
