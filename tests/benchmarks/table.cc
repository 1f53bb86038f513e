// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/benchmarks/table.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <sstream>
#include <stdexcept>

namespace moreau::benchmarks
{
namespace
{
std::string quoted(const std::string &text)
{
  std::string result = "\"";
  for (const char c : text)
    {
      if (c == '"' || c == '\\')
        result += '\\';
      result += c;
    }
  return result + '"';
}

std::string on_screen(const Cell &cell)
{
  std::ostringstream text;
  if (const auto *const number = std::get_if<double>(&cell.value))
    text << std::setprecision(4) << *number;
  else
    std::visit([&](const auto &value) { text << value; }, cell.value);
  return text.str();
}

std::string in_json(const Cell &cell)
{
  if (const auto *const text = std::get_if<std::string>(&cell.value))
    return quoted(*text);
  std::ostringstream text;
  if (const auto *const number = std::get_if<double>(&cell.value))
    {
      if (!std::isfinite(*number))
        return "null";
      text << std::setprecision(17) << *number;
    }
  else
    text << std::get<std::int64_t>(cell.value);
  return text.str();
}

void print_options(std::ostream &out, const KnownOptions &known)
{
  out << "Options:\n";
  for (const auto &[name, meaning] : known)
    out << "  --" << std::left << std::setw(16) << name << meaning << '\n';
  out << "  --" << std::left << std::setw(16) << "json"
      << "file for the tables\n";
}
} // namespace

Table::Table(std::ostream &out, std::string title, std::vector<std::string> columns, const int text_width)
    : out(&out), title(std::move(title)), columns(std::move(columns))
{
  for (std::size_t k = 0; k < this->columns.size(); ++k)
    widths.push_back(std::max(k == 0 ? text_width : 9, static_cast<int>(this->columns[k].size())));
  out << '\n' << this->title << '\n';
  for (std::size_t k = 0; k < this->columns.size(); ++k)
    out << (k == 0 ? std::left : std::right) << std::setw(widths[k]) << this->columns[k] << "  ";
  out << std::endl;
}

void Table::add(const std::vector<Cell> &row)
{
  if (row.size() != columns.size())
    throw std::invalid_argument("A row of table '" + title + "' needs " + std::to_string(columns.size()) + " cells, got " +
                                std::to_string(row.size()) + ".");
  rows.push_back(row);
  for (std::size_t k = 0; k < row.size(); ++k)
    *out << (k == 0 ? std::left : std::right) << std::setw(widths[k]) << on_screen(row[k]) << "  ";
  *out << std::endl;
}

void Table::write_json(std::ostream &json) const
{
  json << "{\"title\": " << quoted(title) << ", \"columns\": [";
  for (std::size_t k = 0; k < columns.size(); ++k)
    json << (k > 0 ? ", " : "") << quoted(columns[k]);
  json << "], \"rows\": [";
  for (std::size_t r = 0; r < rows.size(); ++r)
    {
      json << (r > 0 ? ",\n  [" : "\n  [");
      for (std::size_t k = 0; k < rows[r].size(); ++k)
        json << (k > 0 ? ", " : "") << in_json(rows[r][k]);
      json << ']';
    }
  json << "]}";
}

Options::Options(const int argc, char **const argv, const KnownOptions &known)
{
  for (int k = 1; k < argc; k += 2)
    {
      const std::string word     = argv[k];
      const std::string name     = word.rfind("--", 0) == 0 ? word.substr(2) : "";
      const bool        is_known = name == "json" || std::any_of(known.begin(), known.end(),
                                                                 [&](const auto &option) { return option.first == name; });
      if (!is_known)
        throw std::invalid_argument("Unknown option '" + word + "'.");
      if (k + 1 == argc)
        throw std::invalid_argument("Option '" + word + "' needs a value.");
      values.emplace_back(name, argv[k + 1]);
    }
}

bool Options::has(const std::string &name) const
{
  return std::any_of(values.begin(), values.end(), [&](const auto &value) { return value.first == name; });
}

std::string Options::text(const std::string &name, const std::string &otherwise) const
{
  for (const auto &[key, value] : values)
    if (key == name)
      return value;
  return otherwise;
}

double Options::number(const std::string &name, const double otherwise) const
{
  if (!has(name))
    return otherwise;
  std::istringstream word(text(name, ""));
  double             value = 0.;
  if (!(word >> value) || word.peek() != std::istringstream::traits_type::eof())
    throw std::invalid_argument("Option '--" + name + "' needs a number, got '" + text(name, "") + "'.");
  return value;
}

int run_benchmark(const int argc, char **const argv, const KnownOptions &known,
                  const std::function<void(const Options &)> &run)
{
  if (std::any_of(argv + 1, argv + argc, [](const char *word) { return std::string(word) == "--help"; }))
    {
      print_options(std::cout, known);
      return 0;
    }
  try
    {
      run(Options(argc, argv, known));
    }
  catch (const std::exception &error)
    {
      std::cerr << argv[0] << ": " << error.what() << '\n';
      print_options(std::cerr, known);
      return 1;
    }
  return 0;
}

void write_json(const std::string &file_name, const std::vector<const Table *> &tables)
{
  if (file_name.empty())
    return;
  std::ofstream file(file_name);
  file << '[';
  for (std::size_t k = 0; k < tables.size(); ++k)
    {
      file << (k > 0 ? ",\n" : "");
      tables[k]->write_json(file);
    }
  file << "]\n";
  if (!file)
    throw std::runtime_error("Cannot write '" + file_name + "'.");
}

double seconds() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }
} // namespace moreau::benchmarks
