// SPDX-License-Identifier: GPL-3.0-or-later
#include "exchange/in_a_child.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace moreau::exchange
{
namespace
{
bool is_child = false;
}

std::string death_in_a_child(const std::function<void()> &read, const unsigned int seconds)
{
  if (is_child)
    return "";
  const pid_t child = fork();
  if (child < 0)
    return "";
  if (child == 0)
    {
      is_child = true;
      // dies as the system has it: no report, no core, and no handler of the caller's
      for (const int signal : {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGALRM, SIGINT, SIGTERM})
        std::signal(signal, SIG_DFL);
      const rlimit none = {0, 0};
      setrlimit(RLIMIT_CORE, &none);
      if (const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC); nowhere >= 0)
        {
          dup2(nowhere, STDOUT_FILENO);
          dup2(nowhere, STDERR_FILENO);
        }
      alarm(seconds);
      try
        {
          read();
        }
      catch (...) // the caller will see it, too
        {}
      _exit(0);
    }
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) // ECHILD: whoever ignores SIGCHLD does not learn how children end
      return "";
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
    return "took more than " + std::to_string(seconds) + " s";
  if (WIFSIGNALED(status))
    return "was killed by signal " + std::to_string(WTERMSIG(status)) + " (" + strsignal(WTERMSIG(status)) + ")";
  return WEXITSTATUS(status) == 0 ? "" : "gave up";
}
} // namespace moreau::exchange
