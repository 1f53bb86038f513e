// SPDX-License-Identifier: GPL-3.0-or-later
#include "micro/spheres.h"

#include "convex/input_error.h"
#include "convex/number_text.h"
#include "micro/csv_reader.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <ostream>
#include <stdexcept>

namespace moreau::micro
{
namespace
{
std::string sphere(const Index k) { return "Sphere " + std::to_string(k) + " (numbered from 0)"; }

void require_positive(const double x, const Index k, const std::string &what)
{
  if (!(x > 0.) || !std::isfinite(x))
    throw InputError("the spheres", sphere(k) + " has the " + what + " " + digits(x) + "; it must be positive and finite.");
  if (x > largest_input)
    throw InputError("the spheres", sphere(k) + " has the " + what + " " + digits(x) + "; at most " + digits(largest_input) +
                                        " can be computed with.");
}
} // namespace

double rounding_of_digits(const Spheres &spheres, const unsigned int n_digits)
{
  constexpr unsigned int usual_digits = 6; // of %g, of streams, of numpy.savetxt("%.6g")
  if (n_digits != usual_digits)
    return 0.;
  const double largest = std::max(spheres.r.cwiseAbs().maxCoeff(), spheres.R.maxCoeff());
  return .5 * std::pow(10., std::floor(std::log10(largest)) - (usual_digits - 1.));
}

double rounding_of_gaps(const double rounding, const double smallest_radius, const Index dim)
{
  return 2. * (1. + std::sqrt(static_cast<double>(dim))) * rounding / smallest_radius;
}

double rounding_of_gaps(const SphereFile &file)
{
  return rounding_of_gaps(file.rounding, file.spheres.R.minCoeff(), file.spheres.dimension());
}

double volume_of_ball(const double R, const Index dim)
{
  return dim == 1 ? 2. * R : dim == 2 ? M_PI * R * R : 4. / 3. * M_PI * R * R * R;
}

void Spheres::validate(const Index first) const
{
  if (dimension() < 1 || dimension() > 3 || R.size() != size() || m.size() != size())
    throw std::invalid_argument("Spheres: r is d x n with d = 1, 2 or 3, and R and m have length n.");
  for (Index k = 0; k < size(); ++k)
    {
      if (!r.col(k).allFinite())
        throw InputError("the spheres", sphere(first + k) + " has a centre that is not finite.");
      if (r.col(k).cwiseAbs().maxCoeff() > largest_input)
        throw InputError("the spheres", sphere(first + k) + " has a coordinate beyond " + digits(largest_input) +
                                            " m, which cannot be computed with.");
      require_positive(R(k), first + k, "radius");
      require_positive(m(k), first + k, "mass");
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
        throw InputError("the walls", "'" + name + "' is not a side of a box in dimension " + std::to_string(dim) +
                                          "; the sides are " + listed(known) + ".");
      if (std::any_of(walls.begin(), walls.end(), [&](const Wall &wall) { return wall.name == name; }))
        throw InputError("the walls", "'" + name + "' is named twice; name every wall once.");
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
enum class Quantity
{
  centre,
  radius,
  mass,
  velocity,
  other ///< that spheres do not have
};

struct Column
{
  std::string name;
  Quantity    quantity;
  Index       axis; ///< of centre and velocity; >= dim where the column is there but must be zero
};

/// What the columns of a file of spheres mean.
class SphereReader
{
public:
  SphereReader(TableReader &table, const Index dim) : dim(dim), table(table) {}

  SphereFile read();

private:
  void       add_column(const std::string &name);
  void       require_columns() const;
  void       check(const std::vector<double> &row) const;
  SphereFile result() const;

  bool has(const Quantity quantity) const
  {
    return std::any_of(columns.begin(), columns.end(),
                       [&](const Column &c) { return c.quantity == quantity && c.axis < dim; });
  }

  Index               dim;
  TableReader        &table;
  std::vector<Column> columns;
  std::vector<double> values; ///< row by row
};

void SphereReader::add_column(const std::string &name)
{
  const auto &known = columns_of_spheres();
  const Index which = std::find(known.begin(), known.end(), name) - known.begin();
  if (which < 3)
    columns.push_back({name, Quantity::centre, which});
  else if (which < 5)
    columns.push_back({name, which == 3 ? Quantity::radius : Quantity::mass, 0});
  else if (which < 8)
    columns.push_back({name, Quantity::velocity, which - 5});
  else
    columns.push_back({name, Quantity::other, 0});
}

void SphereReader::require_columns() const
{
  std::vector<std::string> needed(1, "radius");
  for (Index k = 0; k < dim; ++k)
    {
      needed.emplace_back(1, "xyz"[k]);
      if (has(Quantity::velocity))
        needed.push_back(std::string("u") + "xyz"[k]);
    }
  table.require_columns(needed, "spheres in dimension " + std::to_string(dim));
}

void SphereReader::check(const std::vector<double> &row) const
{
  for (std::size_t c = 0; c < columns.size(); ++c)
    {
      const bool positive = columns[c].quantity == Quantity::radius || columns[c].quantity == Quantity::mass;
      if (positive && !(row[c] > 0.))
        table.fail_at_column(c, digits(row[c]) + " is not positive; a " + columns[c].name + " must be.");
      if (columns[c].axis >= dim && row[c] != 0.)
        table.fail_at_column(c, digits(row[c]) + " is not zero, but the dimension is " + std::to_string(dim) +
                                    "; raise Dimension or remove the column.");
    }
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
      if (axis >= dim || quantity == Quantity::other)
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
  for (std::size_t c = 0; c < columns.size(); ++c)
    if (columns[c].quantity == Quantity::centre || columns[c].quantity == Quantity::radius)
      file.n_digits = std::max(file.n_digits, table.most_digits(c));
  if (!file.has_mass)
    for (Index k = 0; k < n; ++k)
      file.spheres.m(k) = volume_of_ball(file.spheres.R(k), dim);
  return file;
}

SphereFile SphereReader::read()
{
  for (const std::string &name : table.columns())
    add_column(name);
  require_columns();
  for (std::vector<double> row; table.next_row(row);)
    {
      check(row);
      values.insert(values.end(), row.begin(), row.end());
    }
  return result();
}
} // namespace

const std::vector<std::string> &columns_of_spheres()
{
  static const std::vector<std::string> names = {"x", "y", "z", "radius", "mass", "ux", "uy", "uz", "id"};
  return names;
}

const std::map<std::string, std::string> &other_columns_of_spheres()
{
  static const std::map<std::string, std::string> names = {
      {"r", "radius"}, {"m", "mass"}, {"vx", "ux"}, {"vy", "uy"}, {"vz", "uz"}};
  return names;
}

SphereFile read_spheres(TableReader &table, const Index dim) { return SphereReader(table, dim).read(); }

SphereFile read_csv(const std::string &file_name, const Index dim)
{
  SphereFile file = read_part_of_csv(file_name, dim, 0, 1);
  file.rounding   = rounding_of_digits(file.spheres, file.n_digits);
  return file;
}

SphereFile read_part_of_csv(const std::string &file_name, const Index dim, const int rank, const int n)
{
  if (dim < 1 || dim > 3)
    throw std::invalid_argument("read_csv: the dimension is 1, 2 or 3.");
  CsvReader table({"the file of spheres", "spheres", columns_of_spheres(), other_columns_of_spheres()}, file_name,
                  {rank, n});
  return read_spheres(table, dim);
}

void write_csv_header(std::ostream &out, const Index dim, const bool has_velocity, const bool has_ids)
{
  for (Index k = 0; k < dim; ++k)
    out << "xyz"[k] << ',';
  out << "radius,mass";
  for (Index k = 0; k < dim && has_velocity; ++k)
    out << ",u"
        << "xyz"[k];
  out << (has_ids ? ",id\n" : "\n");
}

void write_csv_rows(std::ostream &out, const Spheres &spheres, const Vector &U, const Index first, const Index last,
                    const std::vector<Index> &ids)
{
  const Index dim = spheres.dimension();
  std::string row;
  for (Index i = first; i < last; ++i)
    {
      row.clear();
      for (Index k = 0; k < dim; ++k)
        row += digits(spheres.r(k, i)) + ',';
      row += digits(spheres.R(i)) + ',' + digits(spheres.m(i));
      for (Index k = 0; k < dim && U.size() > 0; ++k)
        row += ',' + digits(U(dim * i + k));
      if (!ids.empty())
        row += ',' + std::to_string(ids[i]);
      out << row << '\n';
    }
}

void write_csv(std::ostream &out, const Spheres &spheres, const Vector &U, const std::vector<Index> &ids)
{
  if (U.size() > 0 && U.size() != spheres.dimension() * spheres.size())
    throw std::invalid_argument("write_csv: U has length d n or 0.");
  const bool is_empty = spheres.size() == 0;
  write_csv_header(out, spheres.dimension(), U.size() > 0 || is_empty, !ids.empty() || is_empty);
  write_csv_rows(out, spheres, U, 0, spheres.size(), ids);
}
} // namespace moreau::micro
