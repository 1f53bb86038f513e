// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/input/density.h"

#include "app/input/text/words.h"
#include "convex/input_error.h"
#include "convex/number_text.h"
#include "geometry/array_hull.h"
#include "micro/csv_reader.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <memory>
#include <vector>

namespace moreau::app
{
namespace
{
using geometry::Index;

/// What a file says, row by row.
struct Rows
{
  std::array<std::vector<double>, 3> centres; ///< along each axis
  std::vector<double>                rho;
  std::vector<std::size_t>           lines; ///< where each row stands

  std::string point(const std::size_t row, const Index dim) const
  {
    std::vector<std::string> words;
    for (Index axis = 0; axis < dim; ++axis)
      words.push_back(short_number(centres[axis][row]));
    return "(" + joined(words, ", ") + ")";
  }
};

/// Equal cells along one axis, found from the centres of all rows.
struct Axis
{
  double first = 0.; ///< the lowest centre
  double h     = 1.; ///< length of a cell
  Index  n     = 1;

  /// Position in cells, 0 at the lower end of the grid.
  double position(const double x) const { return (x - first) / h + .5; }
  Index  cell(const double x) const { return static_cast<Index>(std::floor(position(x))); }
  double centre(const Index cell) const { return first + h * static_cast<double>(cell); }
};

/// Densities on a regular grid of cells, the first axis fastest.
class DensityArray
{
public:
  DensityArray(const std::string &file_name, Index dim);

  void values(const Eigen::MatrixXd &x, Eigen::MatrixXd &result) const;

  /// What is known on the hull of some points.
  geometry::OnHull on_hull(const Eigen::MatrixXd &corners) const;

  std::vector<double> faces(Index axis) const;

private:
  Rows  rows_of(micro::CsvReader &csv) const;
  Axis  axis_of(const micro::CsvReader &csv, const Rows &rows, Index axis) const;
  Index cell_of(const Rows &rows, std::size_t row) const;
  void  require_every_cell_once(const micro::CsvReader &csv, const Rows &rows) const;

  Index               dim;
  std::array<Axis, 3> axes;
  std::vector<double> rho;
};

DensityArray::DensityArray(const std::string &file_name, const Index dim) : dim(dim)
{
  micro::CsvReader csv(micro::CsvReader::Purpose{"Zone/File", "densities", {"x", "y", "z", "rho"}}, file_name);
  const Rows       rows = rows_of(csv);
  for (Index axis = 0; axis < dim; ++axis)
    axes[axis] = axis_of(csv, rows, axis);
  require_every_cell_once(csv, rows);
  rho.resize(rows.rho.size());
  for (std::size_t row = 0; row < rows.rho.size(); ++row)
    rho[cell_of(rows, row)] = rows.rho[row];
}

Rows DensityArray::rows_of(micro::CsvReader &csv) const
{
  const std::vector<std::string> &names = csv.columns();
  std::vector<std::string>        needed;
  for (Index axis = 0; axis < dim; ++axis)
    needed.emplace_back(1, "xyz"[axis]);
  needed.push_back("rho");
  csv.require_columns(needed, "densities in dimension " + std::to_string(dim));
  std::array<std::size_t, 4> column = {}; // of the coordinates, then of rho
  for (std::size_t c = 0; c < names.size(); ++c)
    {
      const auto k = std::find(needed.begin(), needed.end(), names[c]);
      if (k == needed.end())
        csv.fail_at_line("the column '" + names[c] + "' is one too many in dimension " + std::to_string(dim) +
                         "; change Dimension or remove the column.");
      column[k - needed.begin()] = c;
    }

  const double round_off = 1e-12;
  Rows         rows;
  for (std::vector<double> row; csv.next_row(row);)
    {
      for (Index axis = 0; axis < dim; ++axis)
        rows.centres[axis].push_back(row[column[axis]]);
      const double rho = row[column[dim]];
      if (rho < -round_off || rho > 1. + round_off)
        csv.fail_at_column(column[dim], "the density is " + digits(rho) + " at " + rows.point(rows.rho.size(), dim) +
                                            "; it must lie in [0, 1].");
      rows.rho.push_back(std::clamp(rho, 0., 1.));
      rows.lines.push_back(csv.line());
    }
  return rows;
}

Axis DensityArray::axis_of(const micro::CsvReader &csv, const Rows &rows, const Index axis) const
{
  const std::vector<double> &x    = rows.centres[axis];
  const std::string          name = std::string(1, "xyz"[axis]);

  // Neighbours in order are equal up to rounding, or a cell apart.
  std::vector<double> ordered = x;
  std::sort(ordered.begin(), ordered.end());
  if (!std::isfinite(ordered.back() - ordered.front()))
    csv.fail("the values of " + name + " are too large for double precision; choose another unit.");
  double longest_gap = 0.;
  for (std::size_t k = 1; k < ordered.size(); ++k)
    longest_gap = std::max(longest_gap, ordered[k] - ordered[k - 1]);
  Axis result;
  result.first = ordered.front();
  for (std::size_t k = 1; k < ordered.size(); ++k)
    result.n += ordered[k] - ordered[k - 1] > .5 * longest_gap;
  if (result.n == 1)
    csv.fail("all rows have the same " + name +
             ", which leaves the length of a cell open; give at least two cells along each axis.");
  result.h = (ordered.back() - ordered.front()) / static_cast<double>(result.n - 1);

  const double rounding = .01; // of a cell
  for (std::size_t row = 0; row < x.size(); ++row)
    if (std::abs(x[row] - result.centre(result.cell(x[row]))) > rounding * result.h)
      csv.fail("line " + std::to_string(rows.lines[row]) + ", column '" + name + "': " + short_number(x[row]) +
               " is not on a regular grid: between " + short_number(ordered.front()) + " and " +
               short_number(ordered.back()) + " the values should be equally far apart; give the centres of equal cells.");
  return result;
}

Index DensityArray::cell_of(const Rows &rows, const std::size_t row) const
{
  Index cell = 0;
  for (Index axis = dim - 1; axis >= 0; --axis)
    cell = cell * axes[axis].n + axes[axis].cell(rows.centres[axis][row]);
  return cell;
}

void DensityArray::require_every_cell_once(const micro::CsvReader &csv, const Rows &rows) const
{
  const auto n_rows  = static_cast<Index>(rows.rho.size());
  const auto n_cells = axes[0].n * axes[1].n * axes[2].n;
  // A cell that is missing is among the first n_rows + 1; there may be far more than rows.
  std::vector<std::size_t> line_of(std::min(n_cells, n_rows + 1), 0);
  for (std::size_t row = 0; row < rows.rho.size(); ++row)
    {
      const Index cell = cell_of(rows, row);
      if (cell >= static_cast<Index>(line_of.size()))
        continue;
      if (line_of[cell] != 0)
        csv.fail("line " + std::to_string(rows.lines[row]) + ": the cell at " + rows.point(row, dim) +
                 " has its density in line " + std::to_string(line_of[cell]) + "; keep one of them.");
      line_of[cell] = rows.lines[row];
    }
  const auto missing = std::find(line_of.begin(), line_of.end(), 0);
  if (missing == line_of.end())
    return;
  Index                    cell = missing - line_of.begin();
  std::vector<std::string> sizes, centre;
  for (Index axis = 0; axis < dim; ++axis)
    {
      sizes.push_back(std::to_string(axes[axis].n));
      centre.push_back(short_number(axes[axis].centre(cell % axes[axis].n)));
      cell /= axes[axis].n;
    }
  csv.fail("the grid of " + joined(sizes, " x ") + " cells is not complete: no row has its centre at (" +
           joined(centre, ", ") + "); write a row for every cell, with density 0 where there is nothing.");
}

void DensityArray::values(const Eigen::MatrixXd &x, Eigen::MatrixXd &result) const
{
  const double round_off = 1e-9; // of a cell: the grid holds the points on its boundary
  result.resize(1, x.cols());
  for (Index k = 0; k < x.cols(); ++k)
    {
      bool  inside = true;
      Index cell   = 0;
      for (Index axis = dim - 1; axis >= 0; --axis)
        {
          const Axis  &a        = axes[axis];
          const double position = a.position(x(axis, k)), end = static_cast<double>(a.n);
          inside = inside && position >= -round_off && position <= end + round_off;
          if (inside)
            cell = cell * a.n + std::clamp<Index>(static_cast<Index>(position), 0, a.n - 1);
        }
      result(0, k) = inside ? rho[cell] : 0.;
    }
}

geometry::OnHull DensityArray::on_hull(const Eigen::MatrixXd &corners) const
{
  Eigen::MatrixXd positions(dim, corners.cols());
  for (Index k = 0; k < corners.cols(); ++k)
    for (Index axis = 0; axis < dim; ++axis)
      positions(axis, k) = axes[axis].position(corners(axis, k));
  return geometry::hull_of_array(positions, 1, [this](const std::array<Index, 3> &cell, Index) {
    Index number = 0;
    for (Index axis = dim - 1; axis >= 0; --axis)
      {
        if (cell[axis] < 0 || cell[axis] >= axes[axis].n)
          return 0.;
        number = number * axes[axis].n + cell[axis];
      }
    return rho[number];
  });
}

std::vector<double> DensityArray::faces(const Index axis) const
{
  std::vector<double> result;
  for (Index k = 0; k <= axes[axis].n; ++k)
    result.push_back(axes[axis].centre(k) - .5 * axes[axis].h);
  return result;
}
} // namespace

std::vector<std::vector<double>> faces_of_density(const std::string &file_name, const Index dim)
{
  const DensityArray               array(file_name, dim);
  std::vector<std::vector<double>> result;
  for (Index axis = 0; axis < dim; ++axis)
    result.push_back(array.faces(axis));
  return result;
}

geometry::Field density_field(const std::string &file_name, const Index dim)
{
  const auto array = std::make_shared<const DensityArray>(file_name, dim);
  return {[array](const Eigen::MatrixXd &x, Eigen::MatrixXd &values) { array->values(x, values); },
          [array](const Eigen::MatrixXd &corners) { return array->on_hull(corners); }};
}

namespace
{
std::string trimmed(const std::string &text)
{
  const std::size_t start = text.find_first_not_of(" \t"), end = text.find_last_not_of(" \t");
  return start == std::string::npos ? "" : text.substr(start, end - start + 1);
}

/// The arguments of `name(argument, argument, ...)`, trimmed; empty where the text is anything else.
std::vector<std::string> arguments_of(const std::string &text, const std::string &name)
{
  if (text.compare(0, name.size(), name) != 0)
    return {};
  const std::string call = trimmed(text.substr(name.size()));
  if (call.empty() || call.front() != '(')
    return {};

  std::vector<std::string> arguments(1);
  int                      depth = 0;
  for (std::size_t k = 0; k < call.size(); ++k)
    {
      depth += (call[k] == '(') - (call[k] == ')');
      if (depth == 0) // the call ends here: at the end of the text, or it is only a part of it
        {
          if (k + 1 != call.size())
            return {};
          for (std::string &argument : arguments)
            argument = trimmed(argument);
          return arguments;
        }
      if (depth == 1 && call[k] == ',')
        arguments.emplace_back();
      else if (k > 0)
        arguments.back() += call[k];
    }
  return {};
}

/// Formulas without comparisons, logic, and functions that jump or have kinks.
bool may_be_smooth(const std::string &formula)
{
  static const std::vector<std::string> functions = {"if",   "abs", "sign", "rint", "min", "max", "floor",
                                                     "ceil", "int", "tan",  "cot",  "sec", "csc"};
  if (formula.empty() || formula.find_first_of("<>=!&|?:;") != std::string::npos)
    return false;
  int         depth = 0;
  std::string name;
  for (const char c : formula + ' ')
    {
      depth += (c == '(') - (c == ')');
      if (depth < 0)
        return false;
      if (std::isalnum(static_cast<unsigned char>(c)) || c == '_')
        name += c;
      else if (std::find(functions.begin(), functions.end(), name) != functions.end())
        return false;
      else
        name.clear();
    }
  return depth == 0;
}

std::optional<double> number(const std::string &text)
{
  double     x    = 0.;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), x);
  if (read.ec != std::errc() || read.ptr != text.data() + text.size())
    return std::nullopt;
  return x;
}
} // namespace

std::optional<std::string> level_of_density(const std::string &expression)
{
  const std::vector<std::string> arguments = arguments_of(trimmed(expression), "if");
  if (arguments.size() != 3)
    return std::nullopt;
  const std::string &condition  = arguments[0];
  const auto         where_true = number(arguments[1]), where_false = number(arguments[2]);
  const bool         as_it_stands = where_true == 1. && where_false == 0.;
  const bool         exchanged    = where_true == 0. && where_false == 1.;
  const std::size_t  comparison   = condition.find_first_of("<>");
  if (comparison == std::string::npos || !(as_it_stands || exchanged))
    return std::nullopt;

  const bool        or_equal = condition.compare(comparison + 1, 1, "=") == 0;
  const std::string A = trimmed(condition.substr(0, comparison)), B = trimmed(condition.substr(comparison + 1 + or_equal));
  if (!may_be_smooth(A) || !may_be_smooth(B))
    return std::nullopt;
  const bool inside_where_A_is_less = (condition[comparison] == '<') == as_it_stands;
  return inside_where_A_is_less ? "(" + B + ")-(" + A + ")" : "(" + A + ")-(" + B + ")";
}
} // namespace moreau::app
