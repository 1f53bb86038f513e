// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_INSITU_PLUGIN_PROCESS_GUARDS_H
#define MOREAU_INSITU_PLUGIN_PROCESS_GUARDS_H

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <mutex>
#include <system_error>
#include <thread>

#include <unistd.h>

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

/// While it lives, a crash of the program is said to be one in this script, on the terminal. One at a time.
class CrashNamed
{
public:
  explicit CrashNamed(const std::filesystem::path &script)
  {
    std::snprintf(
        words, sizeof words,
        "moreau: %s crashed the program; leave it out, and --resume goes on from a checkpoint where there is one.\n",
        script.filename().string().c_str());
    struct sigaction naming = {};
    naming.sa_handler       = name_and_end;
    naming.sa_flags         = static_cast<int>(SA_RESETHAND);
    for (std::size_t k = 0; k < n; ++k)
      sigaction(signals[k], &naming, &before[k]);
  }
  ~CrashNamed()
  {
    for (std::size_t k = 0; k < n; ++k)
      sigaction(signals[k], &before[k], nullptr);
  }
  CrashNamed(const CrashNamed &) = delete;

private:
  static void name_and_end(const int signal)
  {
    if (::write(STDERR_FILENO, words, std::strlen(words)) < 0)
      {}                // there is nobody left to tell
    std::raise(signal); // ends the program when this function returns
  }

  static constexpr int         signals[]  = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
  static constexpr std::size_t n          = std::size(signals);
  static inline char           words[512] = ""; ///< a handler cannot make them
  struct sigaction             before[n];
};

/// Says on the terminal which script the run waits for, once it takes so much longer than its limit that Python cannot have
/// been interrupted: ParaView computes, or other processes are waited for. Does so from a thread, to which no signal goes.
class Watchdog
{
public:
  Watchdog(const std::filesystem::path &script, const double limit)
  {
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    thread = std::thread([this, name = script.filename().string(), limit] {
      const double                 patience = std::min(limit + std::max(4., .1 * limit), 1e8); // s
      std::unique_lock<std::mutex> lock(mutex);
      if (!done.wait_for(lock, std::chrono::duration<double>(patience), [this] { return is_done; }))
        std::fprintf(stderr,
                     "moreau: the run waits for %s, which takes longer than %g s (In situ/Time limit) and has "
                     "not been interrupted; SIGKILL ends the run.\n",
                     name.c_str(), limit);
    });
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }
  ~Watchdog()
  {
    {
      const std::lock_guard<std::mutex> lock(mutex);
      is_done = true;
    }
    done.notify_one();
    thread.join();
  }
  Watchdog(const Watchdog &) = delete;

private:
  std::mutex              mutex;
  std::condition_variable done;
  bool                    is_done = false;
  std::thread             thread;
};
} // namespace moreau::insitu

#endif
