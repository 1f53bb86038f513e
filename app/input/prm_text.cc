// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/input/prm_text.h"

#include "convex/input_error.h"

#include <algorithm>
#include <cctype>
#include <numeric>
#include <sstream>

namespace moreau::app
{
namespace
{
/// Without blanks at the ends, runs of blanks as one.
std::string squeezed(const std::string &text)
{
  std::istringstream words(text);
  std::string        word, result;
  while (words >> word)
    result += (result.empty() ? "" : " ") + word;
  return result;
}

bool starts_with(const std::string &text, const std::string &start) { return text.compare(0, start.size(), start) == 0; }

std::string lower_case(std::string text)
{
  std::transform(text.begin(), text.end(), text.begin(), [](const unsigned char c) { return std::tolower(c); });
  return text;
}

/// Levenshtein distance.
std::size_t edit_distance(const std::string &a, const std::string &b)
{
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  for (std::size_t i = 1; i <= a.size(); ++i)
    {
      std::size_t diagonal = row[0];
      row[0]               = i;
      for (std::size_t j = 1; j <= b.size(); ++j)
        {
          const std::size_t changed = diagonal + (a[i - 1] != b[j - 1]);
          diagonal                  = row[j];
          row[j]                    = std::min({row[j] + 1, row[j - 1] + 1, changed});
        }
    }
  return row[b.size()];
}

/// Reads line by line and keeps the sections that are open.
class PrmReader
{
public:
  void read(const std::string &line);
  void finish() const;

  PrmText      result;
  unsigned int line_number = 0;

private:
  [[noreturn]] void fail(const std::string &message) const
  {
    throw InputError(section(), "Line " + std::to_string(line_number) + ": " + message);
  }

  std::string section() const
  {
    std::string path;
    for (const PrmText::Section &s : open)
      path += (path.empty() ? "" : "/") + s.path;
    return path;
  }

  std::vector<PrmText::Section> open; ///< names only, outermost first
};

void PrmReader::read(const std::string &line)
{
  const std::string text = squeezed(line);
  if (text.empty())
    return;
  if (!is_utf8(text))
    fail("this is not UTF-8; save the file as UTF-8 text.");
  if (text == "end" || text == "END")
    {
      if (open.empty())
        fail("'end' closes a subsection, but none is open; remove it or add the 'subsection' it belongs to.");
      open.pop_back();
    }
  else if (starts_with(text, "subsection ") || starts_with(text, "SUBSECTION "))
    {
      open.push_back({text.substr(std::string("subsection ").size()), line_number});
      result.sections.push_back({section(), line_number});
    }
  else if (starts_with(text, "set ") || starts_with(text, "SET "))
    {
      const std::size_t equals = text.find('=');
      if (equals == std::string::npos)
        fail("'" + text + "' has no '='; write 'set Name = value'.");
      const std::string name = squeezed(text.substr(4, equals - 4));
      if (name.empty())
        fail("'" + text + "' names no parameter; write 'set Name = value'.");
      const std::string path = section() + (open.empty() ? "" : "/") + name;
      result.assignments.push_back({path, squeezed(text.substr(equals + 1)), line_number});
    }
  else
    fail("'" + text + "' is neither 'set Name = value' nor 'subsection Name' nor 'end'.");
}

void PrmReader::finish() const
{
  if (!open.empty())
    throw InputError(section(), "The 'subsection " + open.back().path + "' of line " + std::to_string(open.back().line) +
                                    " is not closed; add 'end'.");
}
} // namespace

PrmText parse_prm(const std::string &text)
{
  PrmReader          reader;
  std::istringstream lines(text);
  std::string        line, unfinished;
  unsigned int       n_lines = 0;
  while (std::getline(lines, line))
    {
      ++n_lines;
      if (unfinished.empty())
        reader.line_number = n_lines;
      line.erase(std::min(line.find('#'), line.size()));
      const std::size_t last = line.find_last_not_of(" \t\r");
      const bool        more = last != std::string::npos && line[last] == '\\';
      unfinished += more ? line.substr(0, last) + ' ' : line;
      if (more)
        continue;
      reader.read(unfinished);
      unfinished.clear();
    }
  reader.read(unfinished);
  reader.finish();
  return reader.result;
}

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

bool is_utf8(const std::string &text)
{
  int n_following = 0; // bytes 10xxxxxx that must come
  for (const unsigned char c : text)
    if (n_following > 0)
      {
        if (c >> 6 != 2)
          return false;
        --n_following;
      }
    else if (c >= 0x80)
      {
        n_following = c >> 5 == 6 ? 1 : c >> 4 == 14 ? 2 : c >> 3 == 30 ? 3 : 0;
        if (n_following == 0)
          return false;
      }
  return n_following == 0;
}

std::string nearest(const std::string &word, const std::vector<std::string> &candidates)
{
  std::string best;
  std::size_t best_distance = std::max<std::size_t>(2, word.size() / 2) + 1;
  for (const std::string &candidate : candidates)
    if (const std::size_t distance = edit_distance(lower_case(word), lower_case(candidate)); distance < best_distance)
      {
        best          = candidate;
        best_distance = distance;
      }
  return best;
}
} // namespace moreau::app
