// SPDX-License-Identifier: GPL-3.0-or-later
#include "exchange/sphere_file.h"

#include "exchange/text_file.h"

#include "convex/input_error.h"
#include "convex/number_text.h"
#include "micro/csv_reader.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <sstream>

namespace moreau::exchange
{
namespace
{
/// What one unit of a style of LAMMPS is in SI.
struct Units
{
  double length, mass, velocity;
};

Units units_of(const std::string &style, const std::string &file)
{
  static const std::map<std::string, Units> styles = {{"si", {1., 1., 1.}},
                                                      {"lj", {1., 1., 1.}},
                                                      {"cgs", {1e-2, 1e-3, 1e-2}},
                                                      {"micro", {1e-6, 1e-15, 1.}},
                                                      {"nano", {1e-9, 1e-21, 1.}}};
  const auto                                found  = styles.find(style);
  if (found == styles.end())
    throw InputError(file + ": The units '" + style +
                     "' are not known here; known are si, cgs, micro, nano and lj (plain numbers, taken as SI).");
  return found->second;
}

/// Spheres in space as a file has them, one after the other.
struct Rows
{
  std::vector<std::array<double, 3>> x, v;
  std::vector<double>                radius, mass;
  bool                               has_velocity = false, has_mass = false;
  unsigned int                       n_digits = 0; ///< the most that a coordinate or a size has

  void see(const std::string &word) { n_digits = std::max(n_digits, micro::significant_digits(word)); }
};

SphereFile assembled(const Rows &rows, const SphereConventions &conventions, const std::string &given_units,
                     const std::string &file)
{
  const std::string style = !given_units.empty() ? given_units : !conventions.units.empty() ? conventions.units : "si";
  const Units       unit  = units_of(style, file);
  if (!conventions.units.empty() && conventions.units != style)
    throw InputError(file + ": It says itself that its units are '" + style + "', but '" + conventions.units +
                     "' are asked for (--units); leave that out, or correct the file where it is wrong.");
  SphereFile result;
  if (conventions.units.empty() && given_units.empty())
    result.remark = "The file does not say its units; they are taken as SI (--units names others).";
  else if (style == "lj")
    result.remark = "Numbers without units (lj) are taken as SI.";
  const Index n = static_cast<Index>(rows.x.size());
  if (n == 0)
    throw InputError(file + ": It holds no sphere.");
  Index dim = conventions.dimension;
  if (dim == 0)
    {
      const bool plane = std::all_of(rows.x.begin(), rows.x.end(), [&](const auto &x) { return x[2] == rows.x[0][2]; }) &&
                         std::all_of(rows.v.begin(), rows.v.end(), [](const auto &v) { return v[2] == 0.; });
      dim = plane && n > 1 ? 2 : 3;
    }
  if (dim != 2 && dim != 3)
    throw InputError(file + ": Its spheres lie in a plane or in space; say --dimension 2 or 3.");
  const auto columns = [&](const auto &of) { return Eigen::Map<const Eigen::Matrix3Xd>(of.front().data(), 3, n); };
  require_dimension(columns(rows.x), columns(rows.v), dim, file);
  micro::SphereFile &c = result.contents;
  c.spheres.r.resize(dim, n);
  c.spheres.R.resize(n);
  c.spheres.m.resize(n);
  c.U            = Vector::Zero(dim * n);
  c.has_velocity = rows.has_velocity;
  c.has_mass     = rows.has_mass;
  for (Index k = 0; k < n; ++k)
    {
      c.spheres.R(k) = unit.length * rows.radius[k];
      c.spheres.m(k) = rows.has_mass ? unit.mass * rows.mass[k] : micro::volume_of_ball(c.spheres.R(k), dim);
      for (Index a = 0; a < dim; ++a)
        {
          c.spheres.r(a, k) = unit.length * rows.x[k][a];
          if (rows.has_velocity)
            c.U(dim * k + a) = unit.velocity * rows.v[k][a];
        }
    }
  try
    {
      c.spheres.validate();
    }
  catch (const InputError &error)
    {
      throw InputError(file + ": " + error.sentence);
    }
  c.rounding = micro::rounding_of_digits(c.spheres, rows.n_digits);
  return result;
}

std::size_t number_of_atoms(const TextFile &in, const std::string &word)
{
  constexpr double most = 1e15;
  const double     n    = in.number(word, "the number of atoms");
  if (!(n >= 0. && n <= most && n == std::floor(n)))
    in.fail("'" + word.substr(0, 40) + "' is no number of atoms; give a whole one.");
  return static_cast<std::size_t>(n);
}

/// The box of a snapshot: "ITEM: BOX BOUNDS pp pp ff" and a line for each axis.
struct DumpBox
{
  std::array<bool, 3>   is_periodic = {false, false, false};
  std::array<double, 3> lower, upper; ///< (units of the file) of periodic axes

  void read(TextFile &in)
  {
    const std::vector<std::string> words = in.words();
    for (std::size_t axis = 0; axis < 3; ++axis)
      {
        is_periodic[axis] = words.size() >= 6 && words[words.size() - 3 + axis] == "pp";
        if (!in.next())
          in.fail("The dump ends within a snapshot; leave the last one out.");
        const std::vector<std::string> bounds = in.words();
        if (!is_periodic[axis])
          continue;
        if (bounds.size() < 2)
          in.fail("A side of the box is: its lower and its upper bound.");
        lower[axis] = in.number(bounds[0], "the lower bound");
        upper[axis] = in.number(bounds[1], "the upper bound");
      }
  }

  /// What is left out of account where spheres reach across periodic sides; empty where none does.
  std::string remark(const Rows &rows, const Index dim) const
  {
    constexpr double contact = 1e-6; // of the radius
    std::string      axes;
    for (Index axis = 0; axis < dim; ++axis)
      {
        bool reaches = false;
        for (std::size_t k = 0; is_periodic[axis] && k < rows.x.size(); ++k)
          reaches = reaches || std::min(rows.x[k][axis] - lower[axis], upper[axis] - rows.x[k][axis]) <=
                                   (1. + contact) * rows.radius[k];
        if (reaches)
          axes += std::string(axes.empty() ? "" : ", ") + "xyz"[axis];
      }
    return axes.empty() ? ""
                        : "Spheres reach across sides of the box, which repeats itself in the dump (" + axes +
                              "); contacts across them are left out.";
  }
};

double volume(const double diameter) { return micro::volume_of_ball(.5 * diameter, 3); }

/// "units = si" or "ITEM: UNITS" say it; empty where nobody does.
std::string units_in(const std::string &line)
{
  const std::string  mark  = "units = ";
  const std::size_t  found = line.find(mark);
  std::istringstream words(found == std::string::npos ? "" : line.substr(found + mark.size()));
  std::string        style;
  words >> style;
  while (!style.empty() && !std::isalpha(static_cast<unsigned char>(style.back())))
    style.pop_back();
  return style;
}
} // namespace

SphereFile read_lammps_data(const std::string &file, const SphereConventions &conventions)
{
  TextFile                      in(file);
  std::vector<std::string>      words;
  std::string                   units, section;
  std::optional<std::size_t>    n_atoms;
  Rows                          rows;
  std::map<double, std::size_t> place;  // of ids
  std::set<std::size_t>         moving; // those with a velocity
  if (in.next())
    units = units_in(in.line());
  while (in.next())
    {
      in.cut_at('#');
      words = in.words();
      if (words.empty())
        continue;
      if (words.size() == 2 && words[1] == "atoms")
        {
          n_atoms = number_of_atoms(in, words[0]);
          continue;
        }
      if (std::isalpha(static_cast<unsigned char>(words[0][0])))
        {
          section                 = in.stripped();
          const std::string style = in.comment();
          if (section == "Atoms" && !style.empty() && style != "sphere")
            in.fail("The atoms are of the style '" + style + "'; spheres need atom_style sphere.");
          continue;
        }
      if (section == "Atoms")
        {
          if (words.size() != 7 && words.size() != 10)
            in.fail("An atom of the style sphere is: id type diameter density x y z; write_data with atom_style sphere "
                    "makes such lines.");
          const double diameter = in.number(words[2], "the diameter"), density = in.number(words[3], "the density");
          if (!(diameter > 0.))
            in.fail(diameter == 0. ? "The diameter is 0: the atom is a point; spheres have a diameter."
                                   : "The diameter is " + words[2] + "; it must be positive.");
          if (!place.emplace(in.number(words[0], "the id"), rows.x.size()).second)
            in.fail("The id " + words[0] + " comes twice.");
          for (const std::size_t k : {2, 4, 5, 6})
            rows.see(words[k]);
          rows.x.push_back({in.number(words[4], "x"), in.number(words[5], "y"), in.number(words[6], "z")});
          rows.v.push_back({0., 0., 0.});
          rows.radius.push_back(.5 * diameter);
          rows.mass.push_back(density * volume(diameter));
        }
      else if (section == "Velocities")
        {
          if (words.size() != 4 && words.size() != 7)
            in.fail("A velocity is: id vx vy vz, and wx wy wz where atoms turn.");
          const auto found = place.find(in.number(words[0], "the id"));
          if (found == place.end())
            in.fail("The velocity is that of an atom " + words[0] + ", which is not there.");
          if (!moving.insert(found->second).second)
            in.fail("The velocity of the atom " + words[0] + " comes twice.");
          rows.v[found->second] = {in.number(words[1], "vx"), in.number(words[2], "vy"), in.number(words[3], "vz")};
          rows.has_velocity     = true;
        }
    }
  if (n_atoms && *n_atoms != rows.x.size())
    throw InputError(file + ": It announces " + std::to_string(*n_atoms) + " atoms and holds " +
                     std::to_string(rows.x.size()) + "; the file is cut off, or no data file of atom_style sphere.");
  if (rows.has_velocity && moving.size() != rows.x.size())
    throw InputError(file + ": It holds velocities of " + std::to_string(moving.size()) + " of " +
                     std::to_string(rows.x.size()) +
                     " atoms; the file is cut off, or lines of the section Velocities are missing.");
  rows.has_mass = true;
  return assembled(rows, conventions, units, file);
}

SphereFile read_lammps_dump(const std::string &file, const SphereConventions &conventions)
{
  TextFile                           in(file);
  std::string                        units;
  std::size_t                        n_atoms = 0;
  Rows                               rows;
  std::vector<double>                ids;
  std::map<std::string, std::size_t> column;
  const auto                         has      = [&](const std::string &name) { return column.count(name) > 0; };
  const auto                         first_of = [&](const std::vector<std::string> &names) -> std::string {
    for (const std::string &name : names)
      if (has(name))
        return name;
    in.fail("The dump has no column " + names.front() + "; write it by: dump custom ... id x y z vx vy vz radius mass.");
  };
  bool    any = false, is_flat = true, ends = false; ///< ends: all atoms that were announced have come
  DumpBox box;
  while (in.next())
    {
      const std::string line = in.stripped();
      if (line.rfind("ITEM:", 0) == 0)
        ends = false;
      else if (ends && !line.empty())
        in.fail("There are more atoms than the " + std::to_string(n_atoms) +
                " that the snapshot announces; correct the number.");
      if (line.rfind("ITEM: BOX BOUNDS", 0) == 0)
        box.read(in);
      else if (line == "ITEM: UNITS" && in.next())
        units = in.stripped();
      else if (line == "ITEM: NUMBER OF ATOMS" && in.next())
        n_atoms = number_of_atoms(in, in.stripped());
      else if (line.rfind("ITEM: ATOMS", 0) == 0)
        {
          any  = true;
          rows = {};
          ids.clear();
          column.clear();
          std::vector<std::string> names = in.words();
          for (std::size_t k = 2; k < names.size(); ++k)
            if (!column.emplace(names[k], k - 2).second)
              in.fail("The column " + names[k] + " comes twice; leave one of them out.");
          const std::string x = first_of({"x", "xu"}), y = first_of({"y", "yu"}), z = first_of({"z", "zu"});
          const std::string size = first_of({"radius", "diameter"});
          if (has("radius") && has("diameter"))
            in.fail("The dump has the columns radius and diameter; leave one of them out.");
          rows.has_velocity = has("vx") || has("vy") || has("vz");
          if (rows.has_velocity && !(has("vx") && has("vy")))
            in.fail("The dump has some of the columns vx, vy and vz; write all of them, or none for spheres at rest.");
          rows.has_mass = has("mass") || has("density");
          for (std::size_t k = 0; k < n_atoms; ++k)
            {
              if (!in.next())
                in.fail("The dump ends within a snapshot; leave the last one out.");
              const std::vector<std::string> words = in.words();
              if (words.size() != column.size())
                in.fail("The line has " + std::to_string(words.size()) + " entries; there are " +
                        std::to_string(column.size()) + " columns.");
              const auto value = [&](const std::string &name) { return in.number(words[column[name]], name); };
              for (const std::string &name : {x, y, z, size})
                rows.see(words[column[name]]);
              rows.x.push_back({value(x), value(y), value(z)});
              rows.v.push_back(rows.has_velocity
                                   ? std::array<double, 3>{value("vx"), value("vy"), has("vz") ? value("vz") : 0.}
                                   : std::array<double, 3>{});
              rows.radius.push_back((size == "radius" ? 1. : .5) * value(size));
              const double by_density = has("density") ? value("density") * volume(2. * rows.radius.back()) : 0.;
              rows.mass.push_back(has("mass") ? value("mass") : by_density);
              if (has("density") && !(std::abs(rows.mass.back() - by_density) <= 1e-3 * by_density))
                in.fail("The mass of the atom is not its density times its volume; leave one of these columns out.");
              ids.push_back(has("id") ? value("id") : static_cast<double>(k));
            }
          ends    = true;
          is_flat = !rows.has_velocity || has("vz") ||
                    std::all_of(rows.x.begin(), rows.x.end(), [&](const auto &x) { return x[2] == rows.x[0][2]; });
        }
    }
  if (!any)
    throw InputError(file + ": It holds no snapshot of a dump ('ITEM: ATOMS ...').");
  if (!is_flat)
    throw InputError(file + ": The dump has velocities without the column vz, but its spheres lie in space; write vz, too.");
  // processes of LAMMPS write atoms in any order
  std::vector<std::size_t> order(ids.size());
  std::iota(order.begin(), order.end(), std::size_t(0));
  std::stable_sort(order.begin(), order.end(), [&](const std::size_t i, const std::size_t j) { return ids[i] < ids[j]; });
  for (std::size_t k = 1; k < order.size(); ++k)
    if (ids[order[k - 1]] == ids[order[k]])
      throw InputError(file + ": Two atoms of the last snapshot have the same id; write every atom once.");
  Rows sorted = rows;
  for (std::size_t k = 0; k < order.size(); ++k)
    {
      sorted.x[k]      = rows.x[order[k]];
      sorted.v[k]      = rows.v[order[k]];
      sorted.radius[k] = rows.radius[order[k]];
      sorted.mass[k]   = rows.mass[order[k]];
    }
  SphereFile result = assembled(sorted, conventions, units, file);
  if (const std::string of_box = box.remark(sorted, result.contents.spheres.dimension()); !of_box.empty())
    result.remark += (result.remark.empty() ? "" : " ") + of_box;
  return result;
}

void require_si(const std::string &file, const SphereConventions &conventions)
{
  if (!conventions.units.empty() && conventions.units != "si")
    throw InputError(file + ": Its numbers are in SI units, but '" + conventions.units +
                     "' are asked for; --units is for files of LAMMPS that do not say theirs.");
}

void require_dimension(const Eigen::Ref<const Eigen::Matrix3Xd> &x, const Eigen::Ref<const Eigen::Matrix3Xd> &v,
                       const Index dim, const std::string &file)
{
  const auto refuse = [&](const Index k, const std::string &what) {
    throw InputError(file + ": Sphere " + std::to_string(k) + " (from 0) has " + what + ", but the dimension is " +
                     std::to_string(dim) + "; ask for the dimension that the spheres have (--dimension).");
  };
  for (Index axis = dim; axis < 3; ++axis)
    for (Index k = 0; k < x.cols(); ++k)
      {
        const std::string name(1, "xyz"[axis]);
        if (x(axis, k) != x(axis, 0))
          refuse(k, name + " = " + digits(x(axis, k)) + " and the first one " + digits(x(axis, 0)));
        if (v.cols() > 0 && v(axis, k) != 0.)
          refuse(k, 'u' + name + " = " + digits(v(axis, k)));
      }
}

SphereFile read_sphere_csv(const std::string &file, const SphereConventions &conventions)
{
  require_si(file, conventions);
  Index dim = conventions.dimension;
  if (dim == 0)
    {
      TextFile                 in(file);
      std::vector<std::string> names;
      while (names.empty() && in.next())
        {
          in.cut_at('#');
          names = in.words(" ,\t");
        }
      const auto has = [&](const std::string &name) { return std::count(names.begin(), names.end(), name) > 0; };
      dim            = has("z") ? 3 : has("y") ? 2 : 1;
    }
  SphereFile result;
  try
    {
      result.contents = micro::read_csv(file, dim);
    }
  catch (const InputError &error)
    {
      throw InputError(error.sentence);
    }
  return result;
}

std::string lammps_data(const micro::Spheres &spheres, const Vector &U)
{
  const Index        dim = spheres.dimension();
  std::ostringstream out;
  const auto         position = [&](const Index k, const Index a) { return a < dim ? spheres.r(a, k) : 0.; };
  out << "LAMMPS data file written by moreau, units = si\n\n" << spheres.size() << " atoms\n1 atom types\n\n";
  const char *const axes[] = {"xlo xhi", "ylo yhi", "zlo zhi"};
  for (Index a = 0; a < 3; ++a)
    {
      const double least = a < dim ? (spheres.r.row(a).transpose() - spheres.R).minCoeff() : -spheres.R.maxCoeff();
      const double most  = a < dim ? (spheres.r.row(a).transpose() + spheres.R).maxCoeff() : spheres.R.maxCoeff();
      out << digits(least) << ' ' << digits(most) << ' ' << axes[a] << '\n';
    }
  out << "\nAtoms # sphere\n\n";
  for (Index k = 0; k < spheres.size(); ++k)
    out << k + 1 << " 1 " << digits(2. * spheres.R(k)) << ' ' << digits(spheres.m(k) / volume(2. * spheres.R(k))) << ' '
        << digits(position(k, 0)) << ' ' << digits(position(k, 1)) << ' ' << digits(position(k, 2)) << '\n';
  if (U.size() > 0)
    {
      out << "\nVelocities\n\n";
      for (Index k = 0; k < spheres.size(); ++k)
        {
          out << k + 1;
          for (Index a = 0; a < 3; ++a)
            out << ' ' << digits(a < dim ? U(dim * k + a) : 0.);
          out << " 0 0 0\n";
        }
    }
  return out.str();
}

void write_lammps_dump(std::ostream &out, const SphereFile &source, const long long step, const double time)
{
  const micro::SphereFile &file    = source.contents;
  const micro::Spheres    &spheres = file.spheres;
  const Index              dim     = spheres.dimension();
  out << "ITEM: UNITS\nsi\nITEM: TIME\n"
      << digits(time) << "\nITEM: TIMESTEP\n"
      << step << "\nITEM: NUMBER OF ATOMS\n"
      << spheres.size() << "\nITEM: BOX BOUNDS ss ss ss\n";
  for (Index a = 0; a < 3; ++a)
    out << digits(a < dim ? (spheres.r.row(a).transpose() - spheres.R).minCoeff() : -spheres.R.maxCoeff()) << ' '
        << digits(a < dim ? (spheres.r.row(a).transpose() + spheres.R).maxCoeff() : spheres.R.maxCoeff()) << '\n';
  out << "ITEM: ATOMS id type x y z vx vy vz radius mass\n";
  for (Index k = 0; k < spheres.size(); ++k)
    {
      out << (source.ids.empty() ? k : static_cast<Index>(source.ids[k])) + 1 << " 1";
      for (Index a = 0; a < 3; ++a)
        out << ' ' << digits(a < dim ? spheres.r(a, k) : 0.);
      for (Index a = 0; a < 3; ++a)
        out << ' ' << digits(a < dim && file.has_velocity ? file.U(dim * k + a) : 0.);
      out << ' ' << digits(spheres.R(k)) << ' ' << digits(spheres.m(k)) << '\n';
    }
}
} // namespace moreau::exchange
