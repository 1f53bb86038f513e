// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_APP_INPUT_TEXT_PRM_TEXT_H
#define MOREAU_APP_INPUT_TEXT_PRM_TEXT_H

#include <string>
#include <vector>

/// The text of a parameter file: `set Name = value` lines in nested `subsection Name` ... `end`, as deal.II's
/// ParameterHandler reads them. Read here and not by ParameterHandler because it takes a parameter that is set twice without
/// a word, and does not say which section a mistake is in.
namespace moreau::app
{
/// One `set` line.
struct Assignment
{
  std::string  path; ///< "Section/Name", "Name" at top level
  std::string  value;
  unsigned int line; ///< counted from 1; 0: from the command line
  /// Path of the alias that was written for it ("Spheres/Radius"); empty: none was.
  std::string alias = {};

  const std::string &written_path() const { return alias.empty() ? path : alias; }
};

/// What a parameter file says, in its order.
struct PrmText
{
  struct Section
  {
    std::string  path;
    unsigned int line;
  };
  std::vector<Assignment> assignments;
  std::vector<Section>    sections; ///< every `subsection` line, also of empty ones
};

/// # starts a comment, a backslash at the end continues a line, runs of blanks count as one.
/// Throws InputError naming the line for: a line that is neither set, subsection nor end; a set without '='; sections and
/// ends that do not match; what is not UTF-8, comments apart.
PrmText parse_prm(const std::string &text);

/// A path of the file, known or not, as the place of a message; in quotes where it would be taken for what an error is
/// about, as "the solver" (places.h).
std::string as_written(const std::string &path);

/// "Section/Name=value" of a --set option. Throws InputError where there is no '='.
Assignment parse_setting(const std::string &setting);

/// Whether `set Name = value` can say it: no comment or end of a line cuts it off, no blanks are lost.
bool can_be_written(const std::string &value);

/// Whether the bytes are UTF-8.
bool is_utf8(const std::string &text);

/// The candidate with the fewest letters to change, insert or drop, case apart; empty where none is near.
std::string nearest(const std::string &word, const std::vector<std::string> &candidates);
} // namespace moreau::app

#endif
