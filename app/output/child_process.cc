// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/output/child_process.h"

#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <system_error>

extern char **environ;

namespace moreau::app
{
namespace
{
[[noreturn]] void fail_with(const int error) { throw std::system_error(error, std::generic_category()); }
} // namespace

Stream::Stream(const std::string &content) : descriptor(memfd_create("moreau", MFD_CLOEXEC))
{
  if (descriptor < 0)
    fail_with(errno);
  if (pwrite(descriptor, content.data(), content.size(), 0) != static_cast<ssize_t>(content.size()))
    {
      close(descriptor);
      fail_with(ENOMEM);
    }
}

Stream::~Stream() { close(descriptor); }

std::string Stream::content() const
{
  std::string text(lseek(descriptor, 0, SEEK_END), '\0');
  text.resize(std::max<ssize_t>(0, pread(descriptor, text.data(), text.size(), 0)));
  return text;
}

ChildProcess::ChildProcess(std::vector<std::string> words, const Stream &input, const Stream &output, const Stream &errors)
{
  std::vector<char *> arguments;
  for (std::string &word : words)
    arguments.push_back(word.data());
  arguments.push_back(nullptr);

  posix_spawn_file_actions_t streams;
  posix_spawn_file_actions_init(&streams);
  posix_spawn_file_actions_adddup2(&streams, input.number(), STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&streams, output.number(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&streams, errors.number(), STDERR_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  const int error = posix_spawnp(&child, arguments.front(), &streams, &attributes, arguments.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&streams);
  if (error != 0)
    fail_with(error);
}

ChildProcess::~ChildProcess()
{
  if (ended)
    return;
  send(SIGKILL);
  while (waitpid(child, &status, 0) < 0 && errno == EINTR)
    ;
}

bool ChildProcess::has_ended()
{
  if (ended)
    return true;
  const pid_t waited = waitpid(child, &status, WNOHANG);
  if (waited < 0 && errno != EINTR)
    fail_with(errno);
  return ended = waited == child;
}

void ChildProcess::send(const int signal) const { kill(-child, signal); }

int ChildProcess::exit_status() const { return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status); }
} // namespace moreau::app
