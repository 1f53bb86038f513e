// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_APP_OUTPUT_LOG_H
#define MOREAU_APP_OUTPUT_LOG_H

#include <iosfwd>
#include <string>
#include <vector>

namespace moreau::app
{
/// What a run says: shown on the terminal unless it is quiet, and kept for log.txt.
class Log
{
public:
  /// terminal: null where the run is quiet.
  explicit Log(std::ostream *terminal) : terminal(terminal) {}

  /// Wrapped at 120 letters, as rows are.
  void line(const std::string &text);

  /// A line of a table: a name of at most 21 letters, then what there is to say about it.
  void row(const std::string &name, const std::string &text);

  /// What whoever uses the numbers should know: a line "warning: SENTENCE" here, and the sentence in `warnings` of
  /// summary.json. The same sentence is said once.
  void warn(const std::string &sentence);

  /// For log.txt only.
  void note(const std::string &text) { kept += text + "\n"; }

  const std::string              &text() const { return kept; }
  const std::vector<std::string> &warnings() const { return warned; }
  bool                            is_quiet() const { return terminal == nullptr; }

private:
  void add(const std::string &lines);

  std::ostream            *terminal;
  std::string              kept;
  std::vector<std::string> warned;
};
} // namespace moreau::app

#endif
