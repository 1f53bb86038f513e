// SPDX-License-Identifier: GPL-3.0-or-later
#include "exchange/text_file.h"

#include "convex/input_error.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <stdexcept>
#include <system_error>

namespace moreau::exchange
{
std::string end_of(const std::string &file_name)
{
  std::string end = std::filesystem::path(file_name).extension().string();
  std::transform(end.begin(), end.end(), end.begin(), [](const unsigned char c) { return std::tolower(c); });
  return end;
}

namespace
{
std::string without_blanks(const std::string &text)
{
  const char *const blanks = " \t\r";
  const std::size_t first  = text.find_first_not_of(blanks);
  return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(blanks) - first + 1);
}
} // namespace

TextFile::TextFile(const std::filesystem::path &path) : name(path.string()), in(path)
{
  if (!in || std::filesystem::is_directory(path))
    throw InputError(name + ": The file cannot be read; check the path and its permissions.");
}

bool TextFile::next()
{
  ++line_number;
  behind_mark.clear();
  return static_cast<bool>(std::getline(in, text));
}

void TextFile::cut_at(const char mark)
{
  const std::size_t at = text.find(mark);
  if (at == std::string::npos)
    return;
  behind_mark = without_blanks(text.substr(at + 1));
  text.resize(at);
}

std::string TextFile::stripped() const { return without_blanks(text); }

std::vector<std::string> TextFile::words(const std::string &between) const
{
  std::vector<std::string> result;
  const std::string        separators = between + "\r";
  for (std::size_t begin = text.find_first_not_of(separators); begin != std::string::npos;)
    {
      const std::size_t end = text.find_first_of(separators, begin);
      result.push_back(text.substr(begin, end - begin));
      begin = end == std::string::npos ? end : text.find_first_not_of(separators, end);
    }
  return result;
}

double TextFile::number(const std::string &word, const std::string &what) const
{
  const char *const begin = word.data() + (!word.empty() && word[0] == '+' ? 1 : 0), *const end = word.data() + word.size();
  double x                  = 0.;
  const auto [stop, status] = std::from_chars(begin, end, x);
  if (status != std::errc() || stop != end || !std::isfinite(x))
    fail("'" + word.substr(0, 40) + "' is no finite number; expected is " + what + ".");
  return x;
}

void TextFile::fail(const std::string &what) const
{
  std::string message = what;
  std::replace(message.begin(), message.end(), '\0', '?'); // which would end it
  throw InputError(name + ": Line " + std::to_string(line_number) + ": " + message);
}

std::string attribute_of(const std::string &element, const std::string &name)
{
  const std::string mark  = ' ' + name + "=\"";
  const std::size_t begin = element.find(mark);
  if (begin == std::string::npos)
    return "";
  const std::size_t first = begin + mark.size();
  return element.substr(first, element.find('"', first) - first);
}

void write_text_file(const std::filesystem::path &path, const std::string &text)
{
  write_text_file(path, [&](std::ostream &out) { out << text; });
}

void write_text_file(const std::filesystem::path &path, const std::function<void(std::ostream &)> &write)
{
  write_text_files({{path, write}});
}

void write_text_files(const std::vector<TextToWrite> &files)
{
  const auto unfinished = [](const std::filesystem::path &path) { return std::filesystem::path(path.string() + ".part"); };
  const auto refuse     = [](const std::filesystem::path &path) {
    throw std::runtime_error(path.string() + " cannot be written; check the folder, its permissions and the space left.");
  };
  try
    {
      for (const auto &[path, write] : files)
        {
          std::ofstream out(unfinished(path), std::ios::binary);
          write(out);
          out.close();
          if (!out || std::filesystem::is_directory(path))
            refuse(path);
        }
      for (const auto &[path, write] : files)
        {
          std::error_code error;
          std::filesystem::rename(unfinished(path), path, error);
          if (error)
            refuse(path);
        }
    }
  catch (...)
    {
      std::error_code ignored;
      for (const auto &[path, write] : files)
        std::filesystem::remove(unfinished(path), ignored);
      throw;
    }
}
} // namespace moreau::exchange
