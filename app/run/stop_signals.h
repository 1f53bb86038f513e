// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_APP_RUN_STOP_SIGNALS_H
#define MOREAU_APP_RUN_STOP_SIGNALS_H

#include <array>
#include <csignal>
#include <string>

namespace moreau::app
{
/// SIGTERM, SIGINT and SIGUSR1 ask a run to stop. Of several processes SIGUSR1 does: mpirun passes it on at once, where of
/// the others it kills all soon.
///
/// While it lives, a first one is noted instead of ending the program, so that a long run can stop where it can go on later;
/// a second one ends the program as usual, unless the program itself sent it, as a script in situ may. A signal that the
/// program was started to ignore (nohup) stays ignored. One at a time.
class StopSignals
{
public:
  StopSignals();
  ~StopSignals();
  StopSignals(const StopSignals &) = delete;

  /// The number of the signal; 0 where there was none.
  int received() const;

private:
  std::array<struct sigaction, 3> old;
};

/// From now on one of them that nobody notes ends the program as before, but says so on stderr in one sentence. Signals that
/// the program was started to ignore stay ignored. Called once.
void say_what_ends(const std::string &parameter_file);

/// The same of SIGUSR1 alone for the first of several processes, of which mpirun then ends the others; these ignore it.
void say_what_ends_all(const std::string &parameter_file, bool is_first);

/// "SIGTERM", "SIGINT", "SIGUSR1".
std::string name_of_signal(int signal);
} // namespace moreau::app

#endif
