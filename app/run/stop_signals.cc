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

std::array<std::string, 2> last_words; ///< of SIGTERM and SIGINT: a handler cannot make them

extern "C" void end_with_words(const int signal)
{
  const std::string &words = last_words[signal == SIGINT];
  if (::write(STDERR_FILENO, words.data(), words.size()) < 0)
    {} // there is nobody left to tell
  std::signal(signal, SIG_DFL);
  std::raise(signal); // arrives when this function returns
}

extern "C" void note_signal(const int signal)
{
  if (last_signal != 0)
    end_with_words(signal);
  last_signal = signal;
}

void catch_unless_ignored(const int signal, struct sigaction &old, void (*const handler)(int) = note_signal)
{
  struct sigaction action = {};
  action.sa_handler       = handler;
  action.sa_flags         = SA_RESTART;
  sigemptyset(&action.sa_mask);
  sigaction(signal, nullptr, &old);
  if (old.sa_handler != SIG_IGN)
    sigaction(signal, &action, nullptr);
}
} // namespace

StopSignals::StopSignals()
{
  last_signal = 0;
  catch_unless_ignored(SIGTERM, old_term);
  catch_unless_ignored(SIGINT, old_int);
}

StopSignals::~StopSignals()
{
  sigaction(SIGTERM, &old_term, nullptr);
  sigaction(SIGINT, &old_int, nullptr);
}

int StopSignals::received() const { return last_signal; }

void say_what_ends(const std::string &parameter_file)
{
  for (const int signal : {SIGTERM, SIGINT})
    {
      last_words[signal == SIGINT] = printable("moreau: " + parameter_file + ": It was ended by " + name_of_signal(signal) +
                                               " before its results were complete; run it again.") +
                                     '\n';
      struct sigaction old = {};
      catch_unless_ignored(signal, old, end_with_words);
    }
}

std::string name_of_signal(const int signal) { return signal == SIGINT ? "SIGINT" : "SIGTERM"; }
} // namespace moreau::app
