// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_APP_OUTPUT_SHARED_FILES_H
#define MOREAU_APP_OUTPUT_SHARED_FILES_H

#include <filesystem>
#include <string>

namespace moreau::app
{
/// The folder of files that the program reads and users do not write, "plots" or "pipelines": ../share/moreau/NAME beside an
/// installed program, else where it was built from.
std::filesystem::path shared_folder(const std::string &name, const std::filesystem::path &of_sources);
} // namespace moreau::app

#endif
