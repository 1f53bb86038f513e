// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_APP_OUTPUT_CHILD_PROCESS_H
#define MOREAU_APP_OUTPUT_CHILD_PROCESS_H

#include <string>
#include <vector>

#include <sys/types.h>

namespace moreau::app
{
/// A stream of a program as a file in memory: no side waits for the other, the program may read it more than once, and
/// nothing is left where one of them is killed. Throws std::system_error where there is no memory.
class Stream
{
public:
  explicit Stream(const std::string &content = "");
  ~Stream();
  Stream(const Stream &) = delete;

  int         number() const { return descriptor; }
  std::string content() const;

private:
  int descriptor;
};

/// Another program that runs beside this one, in a process group of its own: signals of the terminal do not reach it.
class ChildProcess
{
public:
  /// Starts words[0], looked for in PATH, with the other words as its arguments, which no shell sees. Throws
  /// std::system_error where it cannot be started.
  ChildProcess(std::vector<std::string> words, const Stream &input, const Stream &output, const Stream &errors);

  /// Ends it, and what it has started, where it still runs.
  ~ChildProcess();
  ChildProcess(const ChildProcess &) = delete;

  /// Whether it has ended; does not wait. Throws std::system_error.
  bool has_ended();

  /// Sends a signal to it and what it has started.
  void send(int signal) const;

  /// The status it ended with, as a shell says it: 128 + the signal that ended it.
  int exit_status() const;

private:
  pid_t child  = -1;
  int   status = 0;
  bool  ended  = false;
};
} // namespace moreau::app

#endif
