// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_TESTS_BENCHMARKS_TABLE_H
#define MOREAU_TESTS_BENCHMARKS_TABLE_H

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace moreau::benchmarks
{
/// One entry of a table: text, a count or a measured number (4 significant digits on the screen, 17 in JSON).
struct Cell
{
  Cell(const char *text) : value(std::string(text)) {}
  Cell(const std::string &text) : value(text) {}
  Cell(const double number) : value(number) {}
  template <typename Integer, typename = std::enable_if_t<std::is_integral_v<Integer>>>
  Cell(const Integer count) : value(static_cast<std::int64_t>(count))
  {}

  std::variant<std::string, std::int64_t, double> value;
};

/// A titled table whose rows appear on `out` as soon as they are measured, in aligned columns.
///   columns  headings; the width of a column is that of its heading, at least 9 (`text_width` for the first)
class Table
{
public:
  Table(std::ostream &out, std::string title, std::vector<std::string> columns, int text_width = 28);

  /// Prints one row. Throws std::invalid_argument unless there is one cell per column.
  void add(const std::vector<Cell> &row);

  /// {"title": ..., "columns": [...], "rows": [[...], ...]}; numbers that are not finite become null.
  void write_json(std::ostream &out) const;

private:
  std::ostream                  *out;
  std::string                    title;
  std::vector<std::string>       columns;
  std::vector<int>               widths;
  std::vector<std::vector<Cell>> rows;
};

/// Name and meaning of the options of a benchmark.
using KnownOptions = std::vector<std::pair<std::string, std::string>>;

/// Options of a benchmark: `--json FILE` and `--name VALUE` pairs.
class Options
{
public:
  /// Throws std::invalid_argument for an option that is not in `known` ("json" always is) or lacks its value.
  Options(int argc, char **argv, const KnownOptions &known);

  bool        has(const std::string &name) const;
  std::string text(const std::string &name, const std::string &otherwise) const;
  double      number(const std::string &name, double otherwise) const;

private:
  std::vector<std::pair<std::string, std::string>> values;
};

/// Runs a benchmark with its options and returns the exit code: 1 with a message and the options where something was thrown,
/// 0 with the options alone for `--help`.
int run_benchmark(int argc, char **argv, const KnownOptions &known, const std::function<void(const Options &)> &run);

/// [table, table, ...] in `file_name`; nothing where the name is empty. Throws
/// std::runtime_error where it cannot be written.
void write_json(const std::string &file_name, const std::vector<const Table *> &tables);

/// Seconds of wall time since some fixed moment.
double seconds();
} // namespace moreau::benchmarks

#endif
