// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_APP_OUTPUT_PROGRESS_H
#define MOREAU_APP_OUTPUT_PROGRESS_H

#include <cstdio>
#include <memory>
#include <string>

namespace moreau::app
{
/// One line on the terminal (stderr) while something long goes on: what it is, for how long already and, once a fraction is
/// known, how much longer, unless that time is over. It appears after a second and is erased at the end. Where
/// there is no terminal, a line a minute goes to the standard output. Of several, one within another, the last is shown.
class Progress
{
public:
  /// Where lines go.
  struct Lines
  {
    std::FILE *file;        ///< must outlive the progress
    bool       on_terminal; ///< each replaces the one before
    double     every;       ///< so many seconds

    /// As above. without_terminal: instead of the standard output where that is for something else.
    static Lines usual(std::FILE *without_terminal = stdout);
  };

  /// what: "projecting on 3000 contacts". shown: false for a quiet run.
  Progress(const std::string &what, bool shown, const Lines &lines = Lines::usual());
  ~Progress();
  Progress(const Progress &) = delete;

  /// fraction: in [0, 1], of the work that is done. Where it falls by a tenth, something new has begun, and the time left is
  /// estimated from then on.
  void done(double fraction);

private:
  class Line;
  std::unique_ptr<Line> line; ///< empty where nothing is shown
};
} // namespace moreau::app

#endif
