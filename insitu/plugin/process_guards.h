// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_INSITU_PLUGIN_PROCESS_GUARDS_H
#define MOREAU_INSITU_PLUGIN_PROCESS_GUARDS_H

#include <csignal>
#include <cstddef>
#include <filesystem>
#include <iterator>
#include <system_error>

namespace moreau::insitu
{
/// While it lives, others may take the signals that ask the program to stop; afterwards they are handled as before.
class SignalsKept
{
public:
  SignalsKept()
  {
    for (std::size_t k = 0; k < n; ++k)
      sigaction(signals[k], nullptr, &actions[k]);
  }
  ~SignalsKept()
  {
    for (std::size_t k = 0; k < n; ++k)
      sigaction(signals[k], &actions[k], nullptr);
  }
  SignalsKept(const SignalsKept &) = delete;

private:
  static constexpr int         signals[] = {SIGTERM, SIGINT, SIGXFSZ};
  static constexpr std::size_t n         = std::size(signals);
  struct sigaction             actions[n];
};

/// While it lives, relative names begin in this folder.
class InFolder
{
public:
  explicit InFolder(const std::filesystem::path &folder) : before(std::filesystem::current_path())
  {
    std::filesystem::current_path(folder);
  }
  ~InFolder()
  {
    std::error_code ignored;
    std::filesystem::current_path(before, ignored);
  }
  InFolder(const InFolder &) = delete;

private:
  std::filesystem::path before;
};
} // namespace moreau::insitu

#endif
