// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/run/stop_signals.h"

namespace moreau::app
{
namespace
{
volatile std::sig_atomic_t last_signal = 0;

extern "C" void note_signal(const int signal)
{
  if (last_signal != 0)
    {
      std::signal(signal, SIG_DFL);
      std::raise(signal); // arrives when this function returns
    }
  last_signal = signal;
}

void catch_unless_ignored(const int signal, struct sigaction &old)
{
  struct sigaction action = {};
  action.sa_handler       = note_signal;
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

std::string name_of_signal(const int signal) { return signal == SIGINT ? "SIGINT" : "SIGTERM"; }
} // namespace moreau::app
