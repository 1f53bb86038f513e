// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MICRO_CSV_READER_H
#define MOREAU_MICRO_CSV_READER_H

#include "micro/table_reader.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace moreau::micro
{
/// "a, b, c"
std::string listed(const std::vector<std::string> &names);

/// What editors of Windows put before text in UTF-8.
constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

/// How many digits a number has, without zeros at its beginning: 6 for 0.0123456.
unsigned int significant_digits(std::string_view word);

/// Reads tables of numbers (doc/formats.md): the first line names the columns, # starts a comment, empty lines are skipped.
/// Commas separate columns, or blanks and tabs where the first line has no comma.
/// Every message is an InputError that names the file, and the line and column where there is one.
class CsvReader : public TableReader
{
public:
  /// What a file is for, in messages.
  struct Purpose
  {
    std::string              subject; ///< of messages: "the file of spheres"
    std::string              content; ///< what its rows are: "spheres"
    std::vector<std::string> columns; ///< that it may have

    std::map<std::string, std::string> other_names = {}; ///< of columns, as programs elsewhere write them
  };

  /// A share of the lines below the names of the columns: number `rank` of n shares of about as many bytes, in their order.
  struct Share
  {
    int rank = 0, n = 1;
  };

  /// Reads the file, or a share of it, and the names of its columns. Throws for a file that cannot be read or is empty, and
  /// a column that is unknown or there twice. Of a share lines are counted from its own first one, and it may have no rows:
  /// who reads shares and meets a mistake reads the whole once more, which says it well. No shares of pipes.
  CsvReader(const Purpose &purpose, std::string file_name, const Share &share = {0, 1});

  /// In the order of the file.
  const std::vector<std::string> &columns() const override { return names; }

  /// Replaces `row` by the numbers of the next line, one per column; false behind the last line. Throws for a line of
  /// another length and a word that is not a finite number; at the end, where there was no row at all.
  bool next_row(std::vector<double> &row) override;

  /// Throw a message about the file, about the line read last, or about a column in this line.
  [[noreturn]] void fail(const std::string &message) const;
  [[noreturn]] void fail_at_line(const std::string &message) const;
  [[noreturn]] void fail_at_names(const std::string &message) const override { fail_at_line(message); }
  [[noreturn]] void fail_at_column(std::size_t column, const std::string &message) const override;

  /// Of the numbers read in a column, the most that one has, zeros at its beginning apart: 6 for 0.0123456.
  unsigned int most_digits(const std::size_t column) const override { return n_digits[column]; }

  /// Number of the line read last, from 1.
  std::size_t line() const { return line_number; }

private:
  std::string      contents() const;
  void             read_share();
  void             read_header(std::string_view header);
  bool             next_line(std::string_view &content);
  std::string_view next_word(std::string_view &rest, bool &more) const;
  double           number(std::string_view word, std::size_t column) const;

  Purpose                  purpose;
  std::string              file_name;
  Share                    share;
  std::string              text;
  std::size_t              position    = 0;
  std::size_t              line_number = 0;
  bool                     has_rows    = false;
  bool                     has_commas  = true;
  std::vector<std::string> names;

  std::vector<unsigned int> n_digits; ///< most_digits()
};
} // namespace moreau::micro

#endif
