// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/input/text/prm_text.h"

#include "convex/input_error.h"
#include "micro/csv_reader.h"

#include <boost/algorithm/string/case_conv.hpp>
#include <boost/algorithm/string/trim_all.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <numeric>
#include <sstream>
#include <utility>

namespace moreau::app
{
namespace
{
/// Without blanks at the ends, runs of blanks as one.
std::string squeezed(const std::string &text) { return boost::algorithm::trim_fill_copy(text, " "); }

/// Levenshtein distance.
std::size_t edit_distance(const std::string &a, const std::string &b)
{
  std::vector<std::size_t> row(b.size() + 1); // from the letters of a so far to the first 0, 1, ... of b
  std::iota(row.begin(), row.end(), 0);
  for (const char letter : a)
    {
      std::size_t diagonal = row[0]++;
      for (std::size_t j = 1; j <= b.size(); ++j)
        diagonal = std::exchange(row[j], std::min({row[j] + 1, row[j - 1] + 1, diagonal + (letter != b[j - 1])}));
    }
  return row.back();
}
} // namespace

PrmText parse_prm(const std::string &text)
{
  PrmText                       result;
  std::vector<PrmText::Section> open = {{"", 0}}; // the file, then the sections that are open, the innermost last
  const auto path = [&open](const std::string &name) { return open.size() == 1 ? name : open.back().path + "/" + name; };
  const bool is_marked = text.compare(0, micro::byte_order_mark.size(), micro::byte_order_mark) == 0;
  std::istringstream lines(is_marked ? text.substr(micro::byte_order_mark.size()) : text);
  unsigned int       n_lines = 0;
  while (lines)
    {
      const unsigned int first = n_lines + 1;
      std::string        line, said;
      for (bool goes_on = true; goes_on && std::getline(lines, line); ++n_lines)
        {
          line    = squeezed(line.substr(0, line.find('#')));
          goes_on = !line.empty() && line.back() == '\\';
          said += goes_on ? line.substr(0, line.size() - 1) + ' ' : line;
        }
      said                      = squeezed(said);
      const std::string keyword = said.substr(0, said.find(' ')),
                        rest    = said.substr(std::min(keyword.size() + 1, said.size()));
      const auto fail           = [&](const std::string &message) {
        throw InputError(as_written(open.back().path), "Line " + std::to_string(first) + ": " + message);
      };
      if (!is_utf8(said))
        fail("this is not UTF-8; save the file as UTF-8 text.");
      else if (said == "end" || said == "END")
        {
          if (open.size() == 1)
            fail("'end' closes a subsection, but none is open; remove it or add the 'subsection' it belongs to.");
          open.pop_back();
        }
      else if ((keyword == "subsection" || keyword == "SUBSECTION") && !rest.empty())
        {
          open.push_back({path(rest), first});
          result.sections.push_back(open.back());
        }
      else if ((keyword == "set" || keyword == "SET") && !rest.empty())
        {
          const std::size_t equals = rest.find('=');
          const std::string name   = squeezed(rest.substr(0, equals));
          if (equals == std::string::npos)
            fail("'" + said + "' has no '='; write 'set Name = value'.");
          if (name.empty())
            fail("'" + said + "' names no parameter; write 'set Name = value'.");
          result.assignments.push_back({path(name), squeezed(rest.substr(equals + 1)), first});
        }
      else if (!said.empty())
        fail("'" + said + "' is neither 'set Name = value' nor 'subsection Name' nor 'end'.");
    }
  if (const PrmText::Section &last = open.back(); open.size() > 1)
    throw InputError(as_written(last.path), "The 'subsection " + last.path.substr(last.path.rfind('/') + 1) + "' of line " +
                                                std::to_string(last.line) + " is not closed; add 'end'.");
  return result;
}

std::string as_written(const std::string &path) { return path.rfind("the ", 0) == 0 ? "'" + path + "'" : path; }

Assignment parse_setting(const std::string &setting)
{
  const std::size_t equals = setting.find('=');
  if (equals == std::string::npos)
    throw InputError("--set \"" + setting + "\" has no '='; write --set \"Section/Name=value\".");
  std::string        path;
  std::istringstream parts(setting.substr(0, equals));
  for (std::string part; std::getline(parts, part, '/');)
    path += (path.empty() ? "" : "/") + squeezed(part);
  return {path, squeezed(setting.substr(equals + 1)), 0};
}

bool can_be_written(const std::string &value)
{
  return value == squeezed(value) && value.find_first_of("#\n") == std::string::npos &&
         (value.empty() || value.back() != '\\');
}

bool is_utf8(const std::string &text)
{
  try
    {
      return !nlohmann::json(text).dump().empty();
    }
  catch (const nlohmann::json::type_error &)
    {
      return false;
    }
}

std::string nearest(const std::string &word, const std::vector<std::string> &candidates)
{
  std::string best;
  std::size_t best_distance = std::max<std::size_t>(2, word.size() / 2) + 1;
  for (const std::string &candidate : candidates)
    if (const std::size_t distance = edit_distance(boost::to_lower_copy(word), boost::to_lower_copy(candidate));
        distance < best_distance)
      {
        best          = candidate;
        best_distance = distance;
      }
  return best;
}
} // namespace moreau::app
