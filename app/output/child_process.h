// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_APP_OUTPUT_CHILD_PROCESS_H
#define MOREAU_APP_OUTPUT_CHILD_PROCESS_H

#include <string>
#include <vector>

namespace moreau::app
{
/// What a program that was run has left behind.
struct ChildResult
{
  bool        succeeded = false; ///< exit status 0
  std::string output, errors;    ///< all bytes of its standard output and standard error
};

/// Runs command[0], looked for in PATH, with the other words as its arguments
/// and `input` as its standard input, and waits for it.
/// No shell sees the words, and no file is made: the three streams live in
/// memory, so that neither side ever waits for the other.
/// Throws std::system_error where the program cannot be started.
ChildResult run_program(const std::vector<std::string> &command, const std::string &input);
} // namespace moreau::app

#endif
