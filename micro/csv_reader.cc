// SPDX-License-Identifier: GPL-3.0-or-later
#include "micro/csv_reader.h"

#include "convex/input_error.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <fstream>

namespace moreau::micro
{
namespace
{
std::string_view trimmed(std::string_view word)
{
  const auto is_space = [](const char c) { return c == ' ' || c == '\t' || c == '\r'; };
  while (!word.empty() && is_space(word.front()))
    word.remove_prefix(1);
  while (!word.empty() && is_space(word.back()))
    word.remove_suffix(1);
  return word;
}

constexpr std::streamoff longest_beginning = 1 << 20; ///< of a file, up to the line behind its names of columns

std::string bytes_of(std::ifstream &file, const std::streamoff begin, const std::streamoff n)
{
  std::string text(n, '\0');
  file.clear();
  file.seekg(begin);
  file.read(text.data(), n);
  return text;
}

/// Where the first line begins that does so at `wanted` or behind it; first: where one does for certain.
std::streamoff line_at(std::ifstream &file, const std::streamoff wanted, const std::streamoff first,
                       const std::streamoff size)
{
  if (wanted <= first)
    return first;
  std::string rest;
  file.clear();
  file.seekg(wanted - 1);
  std::getline(file, rest);
  return std::min(wanted + static_cast<std::streamoff>(rest.size()), size);
}
} // namespace

unsigned int significant_digits(const std::string_view word)
{
  const auto        is_digit = [](const char c) { return '0' <= c && c <= '9'; };
  const auto        mantissa = word.substr(0, word.find_first_of("eE"));
  const std::size_t first    = std::min(mantissa.find_first_of("123456789"), mantissa.size());
  return std::count_if(mantissa.begin() + first, mantissa.end(), is_digit);
}

/// The part before the next separator, trimmed; `rest` keeps what follows and `more` says whether there was a separator.
std::string_view CsvReader::next_word(std::string_view &rest, bool &more) const
{
  const std::size_t      end  = rest.find_first_of(has_commas ? "," : " \t");
  const std::string_view word = rest.substr(0, end);
  more                        = end != std::string_view::npos;
  rest.remove_prefix(more ? end + 1 : rest.size());
  if (!has_commas) // a run of blanks is one separator
    rest = trimmed(rest);
  return trimmed(word);
}

std::string listed(const std::vector<std::string> &names)
{
  std::string list;
  for (const std::string &name : names)
    list += (list.empty() ? "" : ", ") + name;
  return list;
}

CsvReader::CsvReader(const Purpose &purpose, std::string file_name, const Share &share)
    : purpose(purpose), file_name(std::move(file_name)), share(share), text(contents())
{
  if (std::string_view(text).substr(0, byte_order_mark.size()) == byte_order_mark)
    position = byte_order_mark.size();

  if (std::string_view(text).substr(0, 4) == "\x89HDF")
    fail("is a file of HDF5; its name must end in .h5 or .hdf5.");

  std::string_view header;
  if (!next_line(header))
    fail("the file is empty; its first line names the columns, some of " + listed(purpose.columns) + ".");
  if (share.n > 1 && position > text.size()) // perhaps the line goes on
    fail("the line of column names is too long to be read in parts.");
  read_header(header);
  if (share.n > 1)
    read_share();
}

void CsvReader::read_header(std::string_view header)
{
  const auto is_in = [](const std::vector<std::string> &list, const std::string &name) {
    return std::find(list.begin(), list.end(), name) != list.end();
  };
  has_commas = header.find(',') != std::string_view::npos;
  for (bool more = true; more;)
    {
      std::string name(next_word(header, more));
      if (const auto other = purpose.other_names.find(name); other != purpose.other_names.end())
        name = other->second;
      if (!is_in(purpose.columns, name))
        fail_at_line("the column '" + name + "' is unknown; the columns are " + listed(purpose.columns) +
                     ", separated by commas or blanks, named in the first line.");
      if (is_in(names, name))
        fail_at_line("the column '" + name + "' is there twice; keep one of them.");
      names.push_back(name);
    }
  n_digits.assign(names.size(), 0);
}

void CsvReader::fail(const std::string &message) const
{
  std::string text = message;
  std::replace(text.begin(), text.end(), '\0', '?'); // which would end it
  throw InputError(purpose.subject, "'" + file_name + "': " + text);
}

void CsvReader::fail_at_line(const std::string &message) const
{
  fail("line " + std::to_string(line_number) + ": " + message);
}

void CsvReader::fail_at_column(const std::size_t column, const std::string &message) const
{
  fail("line " + std::to_string(line_number) + ", column '" + names[column] + "': " + message);
}

std::string CsvReader::contents() const
{
  if (std::error_code error; std::filesystem::is_directory(file_name, error))
    fail("is a directory; name a CSV file of " + purpose.content + ".");
  std::ifstream file(file_name, std::ios::binary);
  if (!file)
    fail("cannot be read; check the path and its permissions.");
  file.seekg(0, std::ios::end);
  const std::streamoff size = file.tellg();
  if (size < 0) // a pipe has no length
    {
      file.clear();
      return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    }
  // of a share only what the names of the columns stand in; the rest follows
  return bytes_of(file, 0, share.n > 1 ? std::min<std::streamoff>(size, longest_beginning) : size);
}

/// Replaces the beginning of the file by the lines of the share.
void CsvReader::read_share()
{
  std::ifstream file(file_name, std::ios::binary);
  file.seekg(0, std::ios::end);
  const std::streamoff size  = file.tellg();
  const auto           first = static_cast<std::streamoff>(std::min(position, text.size())); // behind the names
  const std::streamoff begin = line_at(file, first + (size - first) / share.n * share.rank, first, size);
  const std::streamoff end =
      share.rank + 1 == share.n ? size : line_at(file, first + (size - first) / share.n * (share.rank + 1), first, size);
  text        = bytes_of(file, begin, end - begin);
  position    = 0;
  line_number = 0;
}

/// Advances to the next line that holds more than a comment.
bool CsvReader::next_line(std::string_view &content)
{
  while (position < text.size())
    {
      const std::size_t end = std::min(text.find('\n', position), text.size());
      content               = std::string_view(text).substr(position, end - position);
      content               = trimmed(content.substr(0, content.find('#')));
      position              = end + 1;
      ++line_number;
      if (!content.empty())
        return true;
    }
  return false;
}

double CsvReader::number(const std::string_view word, const std::size_t column) const
{
  if (word.empty())
    fail_at_column(column, "the entry is empty; write a number.");
  const char *const begin = word.data() + (word.front() == '+' && word.size() > 1 && word[1] != '-' ? 1 : 0);
  const char *const end   = word.data() + word.size();
  double            x     = 0.;
  const auto        read  = std::from_chars(begin, end, x);
  if (read.ec == std::errc::invalid_argument || read.ptr != end)
    fail_at_column(column, "'" + std::string(word) + "' is not a number.");
  if (read.ec == std::errc::result_out_of_range)
    fail_at_column(column, "'" + std::string(word) + "' is too large or too small for double precision.");
  if (!std::isfinite(x))
    fail_at_column(column, "'" + std::string(word) + "' is not finite; write a number.");
  return x;
}

bool CsvReader::next_row(std::vector<double> &row)
{
  std::string_view rest;
  if (!next_line(rest))
    {
      if (!has_rows && share.n == 1)
        fail("there are no " + purpose.content + " below the line of column names.");
      return false;
    }
  has_rows = true;
  row.resize(names.size());
  std::size_t n_words = 0;
  for (bool more = true; more; ++n_words)
    {
      const std::string_view word = next_word(rest, more);
      if (n_words < names.size())
        {
          row[n_words]      = number(word, n_words);
          n_digits[n_words] = std::max(n_digits[n_words], significant_digits(word));
        }
    }
  if (n_words != names.size())
    fail_at_line(std::to_string(n_words) + (n_words == 1 ? " entry" : " entries") + ", but the first line names " +
                 std::to_string(names.size()) + " columns.");
  return true;
}
} // namespace moreau::micro
