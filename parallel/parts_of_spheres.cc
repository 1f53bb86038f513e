// SPDX-License-Identifier: GPL-3.0-or-later
#include "parallel/parts_of_spheres.h"

#include "convex/input_error.h"
#include "convex/vectors.h"

#include <algorithm>
#include <filesystem>
#include <limits>

namespace moreau::parallel
{
namespace
{
/// Whether this process can read its part; it has it then.
bool reads(const SphereReaders &readers, const std::string &file_name, const Index dim, const Processes &processes,
           micro::SphereFile &file)
try
  {
    file = readers.part(file_name, dim, processes.rank(), processes.size());
    return true;
  }
catch (const InputError &)
  {
    return false;
  }

micro::SphereFile nothing(const Index dim)
{
  micro::SphereFile file;
  file.spheres = {Eigen::MatrixXd(dim, 0), Vector(), Vector()};
  return file;
}
} // namespace

micro::SphereFile read_spheres(const SphereReaders &readers, const std::string &file_name, const Index dim,
                               const Processes &processes)
{
  if (processes.size() == 1)
    return readers.whole(file_name, dim);
  micro::SphereFile file = nothing(dim);
  std::error_code   ignored;
  const bool        fails =
      !std::filesystem::is_regular_file(file_name, ignored) || !reads(readers, file_name, dim, processes, file);
  if (processes.max(fails ? 1. : 0.) > 0. || processes.sum(file.spheres.size()) == 0)
    {
      file = nothing(dim);
      by_first(processes, [&] { file = readers.whole(file_name, dim); });
      bool has[] = {file.has_mass, file.has_velocity};
      from_first(processes, has, sizeof has);
      file.has_mass     = has[0];
      file.has_velocity = has[1];
      file.rounding     = processes.max(file.rounding);
      return file;
    }
  file.n_digits = static_cast<unsigned int>(processes.max(file.n_digits));
  file.rounding = processes.max(
      std::max(file.rounding, file.spheres.size() > 0 ? micro::rounding_of_digits(file.spheres, file.n_digits) : 0.));
  return file;
}

micro::SphereFile read_csv(const std::string &file_name, const Index dim, const Processes &processes)
{
  return read_spheres({micro::read_csv, micro::read_part_of_csv}, file_name, dim, processes);
}

micro::ContactGraph on_first(const Processes &processes, const micro::ContactGraph &part)
{
  List own;
  for (const micro::Contact &c : part.contacts)
    own.insert(own.end(), {static_cast<double>(c.i), static_cast<double>(c.j), c.D, c.e(0), c.e(1), c.e(2),
                           static_cast<double>(c.image)});
  const List          all   = on_first(processes, own);
  micro::ContactGraph whole = part;
  whole.contacts.clear();
  for (std::size_t at = 0; at < all.size(); at += 7)
    whole.contacts.push_back({static_cast<int>(all[at]), static_cast<int>(all[at + 1]), all[at + 2],
                              Eigen::Map<const Eigen::Vector3d>(all.data() + at + 3),
                              static_cast<std::int32_t>(all[at + 6])});
  return whole;
}

micro::Spheres on_first(const Processes &processes, const micro::Spheres &part)
{
  if (processes.size() == 1)
    return part;
  const Vector r = on_first(processes, Vector(part.r.reshaped()));
  return {r.reshaped(part.dimension(), r.size() / part.dimension()), on_first(processes, part.R),
          on_first(processes, part.m)};
}

Vector on_first(const Processes &processes, const Vector &part)
{
  return convex::vector(on_first(processes, convex::values(part)));
}
} // namespace moreau::parallel
