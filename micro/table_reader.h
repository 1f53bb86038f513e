// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MICRO_TABLE_READER_H
#define MOREAU_MICRO_TABLE_READER_H

#include <cstddef>
#include <string>
#include <vector>

namespace moreau::micro
{
/// Rows of numbers under named columns, one after the other, whatever the format of the file. Messages are InputErrors that
/// name the file and the place in it.
class TableReader
{
public:
  virtual ~TableReader() = default;

  /// In the order of the numbers of a row.
  virtual const std::vector<std::string> &columns() const = 0;

  /// Replaces `row` by the next one, finite numbers, one per column; false behind the last one.
  virtual bool next_row(std::vector<double> &row) = 0;

  /// Of the numbers read in a column, the most digits that one has, zeros at its beginning apart; 0 where they are no text.
  virtual unsigned int most_digits(std::size_t column) const = 0;

  /// Throw a message about the names of the columns, or about a column in the row read last.
  [[noreturn]] virtual void fail_at_names(const std::string &message) const                      = 0;
  [[noreturn]] virtual void fail_at_column(std::size_t column, const std::string &message) const = 0;

  /// Throws where one of the columns `needed` is missing; `by` says who needs them: "spheres in dimension 2".
  void require_columns(const std::vector<std::string> &needed, const std::string &by) const;
};
} // namespace moreau::micro

#endif
