// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/output/child_process.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

extern char **environ;

namespace moreau::app
{
namespace
{
[[noreturn]] void fail(const int error, const std::string &what)
{
  throw std::system_error(error, std::generic_category(), what);
}

/// A file that exists in memory only.
class MemoryFile
{
public:
  explicit MemoryFile(const std::string &content = "") : descriptor(memfd_create("moreau", MFD_CLOEXEC))
  {
    if (descriptor < 0)
      fail(errno, "memfd_create");
    for (std::size_t written = 0; written < content.size();)
      {
        const ssize_t n = pwrite(descriptor, content.data() + written, content.size() - written, written);
        if (n < 0)
          {
            const int error = errno;
            close(descriptor);
            fail(error, "pwrite");
          }
        written += n;
      }
  }
  ~MemoryFile() { close(descriptor); }
  MemoryFile(const MemoryFile &) = delete;

  int number() const { return descriptor; }

  std::string content() const
  {
    std::string text(lseek(descriptor, 0, SEEK_END), '\0');
    for (std::size_t done = 0; done < text.size();)
      {
        const ssize_t n = pread(descriptor, text.data() + done, text.size() - done, done);
        if (n <= 0)
          fail(errno, "pread");
        done += n;
      }
    return text;
  }

private:
  int descriptor;
};

/// The three standard streams of a process that is to be started.
class Streams
{
public:
  Streams(const MemoryFile &input, const MemoryFile &output, const MemoryFile &errors)
  {
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, input.number(), STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, output.number(), STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, errors.number(), STDERR_FILENO);
  }
  ~Streams() { posix_spawn_file_actions_destroy(&actions); }
  Streams(const Streams &) = delete;

  const posix_spawn_file_actions_t *get() const { return &actions; }

private:
  posix_spawn_file_actions_t actions;
};
} // namespace

ChildResult run_program(const std::vector<std::string> &command, const std::string &input)
{
  std::vector<char *> words;
  for (const std::string &word : command)
    words.push_back(const_cast<char *>(word.c_str())); // posix_spawnp leaves them as they are
  words.push_back(nullptr);

  const MemoryFile in(input), out, errors;
  const Streams    streams(in, out, errors);
  pid_t            child;
  if (const int error = posix_spawnp(&child, words[0], streams.get(), nullptr, words.data(), environ))
    fail(error, command.front());

  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR)
      fail(errno, command.front());
  return {WIFEXITED(status) && WEXITSTATUS(status) == 0, out.content(), errors.content()};
}
} // namespace moreau::app
