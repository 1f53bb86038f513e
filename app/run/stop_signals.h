// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_APP_RUN_STOP_SIGNALS_H
#define MOREAU_APP_RUN_STOP_SIGNALS_H

#include <csignal>
#include <string>

namespace moreau::app
{
/// While it lives, a first SIGTERM or SIGINT is noted instead of ending the program, so that a long run can stop where it
/// can go on later; a second one ends the program as usual. A signal that the program was started to ignore (nohup) stays
/// ignored. One at a time.
class StopSignals
{
public:
  StopSignals();
  ~StopSignals();
  StopSignals(const StopSignals &) = delete;

  /// The number of the signal; 0 where there was none.
  int received() const;

private:
  struct sigaction old_term, old_int;
};

/// From now on a SIGTERM or SIGINT that nobody notes ends the program as before, but says so on stderr in one sentence.
/// Signals that the program was started to ignore stay ignored. Called once.
void say_what_ends(const std::string &parameter_file);

/// "SIGTERM", "SIGINT".
std::string name_of_signal(int signal);
} // namespace moreau::app

#endif
