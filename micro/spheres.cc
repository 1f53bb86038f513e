// SPDX-License-Identifier: GPL-3.0-or-later
#include "micro/spheres.h"

#include "convex/input_error.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <ostream>
#include <stdexcept>
#include <string_view>

namespace moreau::micro
{
namespace
{
std::string sphere(const Index k) { return "Sphere " + std::to_string(k) + " (numbered from 0)"; }

/// The shortest digits that read back as the same double.
std::string digits(const double x)
{
  char buffer[32];
  return {buffer, std::to_chars(buffer, buffer + sizeof buffer, x).ptr};
}

std::string listed(const std::vector<std::string> &names)
{
  std::string list;
  for (const std::string &name : names)
    list += (list.empty() ? "" : ", ") + name;
  return list;
}

void require_positive(const double x, const Index k, const std::string &what)
{
  if (!(x > 0.) || !std::isfinite(x))
    throw InputError("Spheres", sphere(k) + " has the " + what + " " + digits(x) + "; it must be positive and finite.");
}
} // namespace

double volume_of_ball(const double R, const Index dim)
{
  return dim == 1 ? 2. * R : dim == 2 ? M_PI * R * R : 4. / 3. * M_PI * R * R * R;
}

void Spheres::validate() const
{
  if (dimension() < 1 || dimension() > 3 || R.size() != size() || m.size() != size())
    throw std::invalid_argument("Spheres: r is d x n with d = 1, 2 or 3, and R and m have length n.");
  for (Index k = 0; k < size(); ++k)
    {
      if (!r.col(k).allFinite())
        throw InputError("Spheres", sphere(k) + " has a centre that is not finite.");
      require_positive(R(k), k, "radius");
      require_positive(m(k), k, "mass");
    }
}

std::vector<Wall> box_walls(const Vector &lower, const Vector &upper, const std::vector<std::string> &names)
{
  static const std::vector<std::string> all = {"left", "right", "bottom", "top", "back", "front"};
  const Index                           dim = lower.size();
  const std::vector<std::string>        known(all.begin(), all.begin() + 2 * dim);

  std::vector<Wall> walls;
  for (const std::string &name : names)
    {
      const auto position = std::find(known.begin(), known.end(), name);
      if (position == known.end())
        throw InputError("Zone/Walls", "'" + name + "' is not a side of a box in dimension " + std::to_string(dim) +
                                           "; the sides are " + listed(known) + ".");
      if (std::any_of(walls.begin(), walls.end(), [&](const Wall &wall) { return wall.name == name; }))
        throw InputError("Zone/Walls", "'" + name + "' is named twice; name every wall once.");
      const Index side  = position - known.begin();
      const Index axis  = side / 2;
      const bool  far   = side % 2 == 1;
      Wall        wall  = {name, Vector::Zero(dim), far ? -upper(axis) : lower(axis), Vector::Zero(dim)};
      wall.normal(axis) = far ? -1. : 1.;
      walls.push_back(wall);
    }
  return walls;
}

namespace
{
/// Reads the text of a file of spheres; every message names the file, and the line and column where there is one.
class SphereReader
{
public:
  SphereReader(std::string file_name, const Index dim) : file_name(std::move(file_name)), dim(dim), text(contents()) {}

  SphereFile read();

private:
  enum class Quantity
  {
    centre,
    radius,
    mass,
    velocity
  };

  struct Column
  {
    std::string name;
    Quantity    quantity;
    Index       axis; ///< of centre and velocity; >= dim where the column is there but must be zero
  };

  [[noreturn]] void fail(const std::string &message) const
  {
    throw InputError("Spheres/File", "'" + file_name + "': " + message);
  }
  [[noreturn]] void fail_at_line(const std::string &message) const { fail("line " + std::to_string(line) + ": " + message); }
  [[noreturn]] void fail_at_column(const Column &column, const std::string &message) const
  {
    fail("line " + std::to_string(line) + ", column '" + column.name + "': " + message);
  }

  std::string contents() const;
  bool        next_line(std::string_view &content);
  void        read_header(std::string_view header);
  void        add_column(const std::string &name);
  double      number(std::string_view word, const Column &column) const;
  void        check(double value, const Column &column) const;
  void        read_row(std::string_view row);
  SphereFile  result() const;

  bool has(const Quantity quantity) const
  {
    return std::any_of(columns.begin(), columns.end(),
                       [&](const Column &c) { return c.quantity == quantity && c.axis < dim; });
  }

  std::string         file_name;
  Index               dim;
  std::string         text;
  std::size_t         position = 0;
  std::size_t         line     = 0; ///< the line read last, counted from 1
  std::vector<Column> columns;
  std::vector<double> values; ///< row by row
};

std::string_view trimmed(std::string_view word)
{
  const auto is_space = [](const char c) { return c == ' ' || c == '\t' || c == '\r'; };
  while (!word.empty() && is_space(word.front()))
    word.remove_prefix(1);
  while (!word.empty() && is_space(word.back()))
    word.remove_suffix(1);
  return word;
}

/// The part before the next comma, trimmed; `rest` keeps what follows and `more` says whether there was a comma.
std::string_view next_word(std::string_view &rest, bool &more)
{
  const std::size_t      comma = rest.find(',');
  const std::string_view word  = rest.substr(0, comma);
  more                         = comma != std::string_view::npos;
  rest.remove_prefix(more ? comma + 1 : rest.size());
  return trimmed(word);
}

std::string SphereReader::contents() const
{
  if (std::error_code error; std::filesystem::is_directory(file_name, error))
    fail("is a directory; name a CSV file of spheres.");
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
  file.seekg(0);
  std::string text(size, '\0');
  file.read(text.data(), size);
  return text;
}

/// Advances to the next line that holds more than a comment.
bool SphereReader::next_line(std::string_view &content)
{
  while (position < text.size())
    {
      const std::size_t end = std::min(text.find('\n', position), text.size());
      content               = std::string_view(text).substr(position, end - position);
      content               = trimmed(content.substr(0, content.find('#')));
      position              = end + 1;
      ++line;
      if (!content.empty())
        return true;
    }
  return false;
}

void SphereReader::add_column(const std::string &name)
{
  static const std::vector<std::string> known = {"x", "y", "z", "radius", "mass", "ux", "uy", "uz"};

  const Index which = std::find(known.begin(), known.end(), name) - known.begin();
  if (which == static_cast<Index>(known.size()))
    fail_at_line("the column '" + name + "' is unknown; the columns are " + listed(known) +
                 ", separated by commas, named in the first line.");
  if (std::any_of(columns.begin(), columns.end(), [&](const Column &c) { return c.name == name; }))
    fail_at_line("the column '" + name + "' is there twice; keep one of them.");
  if (which < 3)
    columns.push_back({name, Quantity::centre, which});
  else if (which < 5)
    columns.push_back({name, which == 3 ? Quantity::radius : Quantity::mass, 0});
  else
    columns.push_back({name, Quantity::velocity, which - 5});
}

void SphereReader::read_header(std::string_view header)
{
  for (bool more = true; more;)
    add_column(std::string(next_word(header, more)));

  std::vector<std::string> needed(1, "radius");
  for (Index k = 0; k < dim; ++k)
    {
      needed.emplace_back(1, "xyz"[k]);
      if (has(Quantity::velocity))
        needed.push_back(std::string("u") + "xyz"[k]);
    }
  for (const std::string &name : needed)
    if (std::none_of(columns.begin(), columns.end(), [&](const Column &c) { return c.name == name; }))
      fail_at_line("the column '" + name + "' is missing; spheres in dimension " + std::to_string(dim) + " need " +
                   listed(needed) + ".");
}

double SphereReader::number(const std::string_view word, const Column &column) const
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

void SphereReader::check(const double value, const Column &column) const
{
  const bool positive = column.quantity == Quantity::radius || column.quantity == Quantity::mass;
  if (positive && !(value > 0.))
    fail_at_column(column, digits(value) + " is not positive; a " + column.name + " must be.");
  if (column.axis >= dim && value != 0.)
    fail_at_column(column, digits(value) + " is not zero, but the dimension is " + std::to_string(dim) +
                               "; raise Dimension or remove the column.");
}

void SphereReader::read_row(std::string_view row)
{
  std::size_t n_words = 0;
  for (bool more = true; more; ++n_words)
    {
      const std::string_view word = next_word(row, more);
      if (n_words < columns.size())
        {
          values.push_back(number(word, columns[n_words]));
          check(values.back(), columns[n_words]);
        }
    }
  if (n_words != columns.size())
    fail_at_line(std::to_string(n_words) + (n_words == 1 ? " entry" : " entries") + ", but the first line names " +
                 std::to_string(columns.size()) + " columns.");
}

SphereFile SphereReader::result() const
{
  const Index n = values.size() / columns.size();
  SphereFile  file;
  file.has_mass     = has(Quantity::mass);
  file.has_velocity = has(Quantity::velocity);
  file.spheres      = {Eigen::MatrixXd(dim, n), Vector(n), Vector(n)};
  file.U            = Vector::Zero(dim * n);
  for (std::size_t c = 0; c < columns.size(); ++c)
    {
      const auto [name, quantity, axis] = columns[c];
      if (axis >= dim)
        continue;
      for (Index k = 0; k < n; ++k)
        {
          const double value = values[columns.size() * k + c];
          if (quantity == Quantity::centre)
            file.spheres.r(axis, k) = value;
          else if (quantity == Quantity::velocity)
            file.U(dim * k + axis) = value;
          else
            (quantity == Quantity::radius ? file.spheres.R : file.spheres.m)(k) = value;
        }
    }
  if (!file.has_mass)
    for (Index k = 0; k < n; ++k)
      file.spheres.m(k) = volume_of_ball(file.spheres.R(k), dim);
  return file;
}

SphereFile SphereReader::read()
{
  const std::string_view byte_order_mark = "\xEF\xBB\xBF";
  if (std::string_view(text).substr(0, 3) == byte_order_mark)
    position = 3;

  std::string_view content;
  if (!next_line(content))
    fail("the file is empty; its first line names the columns: x, y, radius, ...");
  read_header(content);
  while (next_line(content))
    read_row(content);
  if (values.empty())
    fail("there are no spheres below the line of column names.");
  return result();
}
} // namespace

SphereFile read_csv(const std::string &file_name, const Index dim)
{
  if (dim < 1 || dim > 3)
    throw std::invalid_argument("read_csv: the dimension is 1, 2 or 3.");
  return SphereReader(file_name, dim).read();
}

void write_csv(std::ostream &out, const Spheres &spheres, const Vector &U)
{
  const Index dim          = spheres.dimension();
  const bool  has_velocity = U.size() > 0;
  if (has_velocity && U.size() != dim * spheres.size())
    throw std::invalid_argument("write_csv: U has length d n or 0.");

  for (Index k = 0; k < dim; ++k)
    out << "xyz"[k] << ',';
  out << "radius,mass";
  for (Index k = 0; k < dim && has_velocity; ++k)
    out << ",u"
        << "xyz"[k];
  out << '\n';

  std::string row;
  for (Index i = 0; i < spheres.size(); ++i)
    {
      row.clear();
      for (Index k = 0; k < dim; ++k)
        row += digits(spheres.r(k, i)) + ',';
      row += digits(spheres.R(i)) + ',' + digits(spheres.m(i));
      for (Index k = 0; k < dim && has_velocity; ++k)
        row += ',' + digits(U(dim * i + k));
      out << row << '\n';
    }
}
} // namespace moreau::micro
