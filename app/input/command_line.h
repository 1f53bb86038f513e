// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_APP_INPUT_COMMAND_LINE_H
#define MOREAU_APP_INPUT_COMMAND_LINE_H

#include <string>
#include <vector>

namespace moreau::app
{
/// What the user typed.
struct CommandLine
{
  enum class Action
  {
    run,
    check,
    parameters,
    help,
    version
  };

  Action                   action = Action::help;
  std::string              parameter_file;
  std::vector<std::string> settings; ///< "Section/Name=value"
  std::string              output;
  bool                     resume = false;
  bool                     quiet  = false;
};

/// Throws InputError for an option that does not exist or lacks its value, and where the parameter file is missing.
CommandLine parse_command_line(int argc, const char *const argv[]);

/// What --help prints.
extern const char *const usage;
} // namespace moreau::app

#endif
