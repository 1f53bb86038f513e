// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_TESTS_APP_UNITS_FOLDER_H
#define MOREAU_TESTS_APP_UNITS_FOLDER_H

#include <filesystem>
#include <fstream>
#include <string>

#include <unistd.h>

/// A folder of the test's own, removed at the end.
struct Folder
{
  explicit Folder(const std::string &name = "moreau_test")
      : path(std::filesystem::temp_directory_path() / (name + "_" + std::to_string(getpid())))
  {
    std::filesystem::create_directories(path);
  }
  ~Folder() { std::filesystem::remove_all(path); }

  std::filesystem::path write(const std::string &name, const std::string &text) const
  {
    std::ofstream(path / name) << text;
    return path / name;
  }

  const std::filesystem::path path;
};

#endif
