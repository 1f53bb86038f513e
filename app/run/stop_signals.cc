// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/run/stop_signals.h"

#include "app/input/text/words.h"

#include <unistd.h>

#include <array>

namespace moreau::app
{
namespace
{
volatile std::sig_atomic_t last_signal = 0;

constexpr std::array<int, 3> all_signals = {SIGTERM, SIGINT, SIGUSR1};
std::array<std::string, 3>   last_words; ///< of each: a handler cannot make them

extern "C" void end_with_words(const int signal)
{
  for (std::size_t k = 0; k < all_signals.size(); ++k)
    if (all_signals[k] == signal && ::write(STDERR_FILENO, last_words[k].data(), last_words[k].size()) < 0)
      {} // there is nobody left to tell
  std::signal(signal, SIG_DFL);
  std::raise(signal); // arrives when this function returns
}

/// What the program sends itself, from a script in situ, is no sign of impatience.
extern "C" void note_signal(const int signal, siginfo_t *const sender, void *)
{
  if (last_signal != 0 && sender->si_pid != getpid())
    end_with_words(signal);
  last_signal = signal;
}

void catch_unless_ignored(const int signal, struct sigaction &old, struct sigaction action)
{
  action.sa_flags |= SA_RESTART;
  sigemptyset(&action.sa_mask);
  sigaction(signal, nullptr, &old);
  if (old.sa_handler != SIG_IGN)
    sigaction(signal, &action, nullptr);
}
} // namespace

StopSignals::StopSignals()
{
  last_signal             = 0;
  struct sigaction noting = {};
  noting.sa_sigaction     = note_signal;
  noting.sa_flags         = SA_SIGINFO;
  for (std::size_t k = 0; k < all_signals.size(); ++k)
    catch_unless_ignored(all_signals[k], old[k], noting);
}

StopSignals::~StopSignals()
{
  for (std::size_t k = 0; k < all_signals.size(); ++k)
    sigaction(all_signals[k], &old[k], nullptr);
}

int StopSignals::received() const { return last_signal; }

namespace
{
void say_what_ends(const std::string &parameter_file, const std::size_t k)
{
  last_words[k] = printable("moreau: " + parameter_file + ": It was ended by " + name_of_signal(all_signals[k]) +
                            " before its results were complete; run it again.") +
                  '\n';
  struct sigaction old = {}, ending = {};
  ending.sa_handler = end_with_words;
  catch_unless_ignored(all_signals[k], old, ending);
}
} // namespace

void say_what_ends(const std::string &parameter_file)
{
  for (std::size_t k = 0; k < all_signals.size(); ++k)
    say_what_ends(parameter_file, k);
}

void say_what_ends_all(const std::string &parameter_file, const bool is_first)
{
  if (is_first)
    say_what_ends(parameter_file, 2);
  else
    std::signal(SIGUSR1, SIG_IGN);
}

std::string name_of_signal(const int signal)
{
  return signal == SIGINT ? "SIGINT" : signal == SIGTERM ? "SIGTERM" : "SIGUSR1";
}
} // namespace moreau::app
