// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/output/log.h"

#include <algorithm>
#include <ostream>

namespace moreau::app
{
namespace
{
/// Letters of a UTF-8 text: bytes that begin one.
std::size_t n_letters(const std::string &text)
{
  return std::count_if(text.begin(), text.end(),
                       [](const char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; });
}

/// Lines of at most `widest` letters where blanks allow it; those behind the first begin with `indent` blanks.
std::string wrapped(const std::string &text, const std::size_t indent)
{
  constexpr std::size_t widest = 120;
  std::string           result, line;
  for (std::size_t begin = 0; begin < text.size();)
    {
      // a word with the blanks before it
      const std::size_t letter = std::min(text.find_first_not_of(' ', begin), text.size());
      const std::size_t end    = std::min(text.find_first_of(" \n", letter), text.size());
      const std::string word   = text.substr(begin, end - begin);
      if (letter > begin && n_letters(line) > indent && n_letters(line) + n_letters(word) > widest)
        {
          result += line + '\n';
          line = std::string(indent, ' ') + text.substr(letter, end - letter);
        }
      else
        line += word;
      begin = end;
      if (begin < text.size() && text[begin] == '\n')
        {
          result += line + '\n';
          line.clear();
          ++begin;
        }
    }
  return result + line;
}
} // namespace

void Log::line(const std::string &text) { add(wrapped(text, 2)); }

void Log::add(const std::string &lines)
{
  if (terminal != nullptr)
    *terminal << lines << std::endl;
  note(lines);
}

void Log::warn(const std::string &sentence)
{
  if (std::find(warned.begin(), warned.end(), sentence) != warned.end())
    return;
  warned.push_back(sentence);
  line("warning: " + sentence);
}

void Log::row(const std::string &name, const std::string &text)
{
  constexpr std::size_t width = 22;
  add(wrapped("  " + name + std::string(width - name.size(), ' ') + text, width + 2));
}
} // namespace moreau::app
