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
    certify,
    convert,
    help,
    version
  };

  Action                   action = Action::help;
  std::string              parameter_file;
  std::vector<std::string> settings; ///< "Section/Name=value"
  std::string              output;
  bool                     resume  = false;
  bool                     quiet   = false;
  unsigned int             threads = 0; ///< at most; 0: what Threads says

  std::vector<std::string> sweeps;   ///< "Section/Name=value,value"
  std::vector<std::string> heads;    ///< "Section/Name=value" in the place of lists in the file, which are swept
  unsigned int             jobs = 0; ///< runs of a sweep side by side; 0: one per core

  /// Of --parameters: "", "json" or "markdown", and the section asked for, empty for all.
  std::string manual, section;

  /// Of certify and convert.
  std::vector<std::string> files;
  double                   tolerance = 1e-6;
  std::string              units;
  int                      dimension = 0; ///< 0: what the file says
};

/// Throws InputError for an option that does not exist or lacks its value, and where the parameter file is missing.
CommandLine parse_command_line(int argc, const char *const argv[]);

/// What --help prints.
extern const char *const usage;
} // namespace moreau::app

#endif
