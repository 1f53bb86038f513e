// SPDX-License-Identifier: GPL-3.0-or-later
#include "exchange/trajectory.h"

#include "exchange/text_file.h"

#include "convex/input_error.h"

#include <filesystem>
#include <ostream>

namespace moreau::exchange
{
std::vector<Moment> moments_of(const std::string &collection)
{
  TextFile                    in(collection);
  const std::filesystem::path folder = std::filesystem::path(collection).parent_path();
  std::vector<Moment>         result;
  while (in.next())
    {
      const std::string picture = attribute_of(in.line(), "file");
      if (in.stripped().rfind("<DataSet ", 0) == 0 && picture.rfind("spheres_", 0) == 0)
        result.push_back({in.number(attribute_of(in.line(), "timestep"), "a time"), (folder / picture).string()});
    }
  if (result.empty())
    throw InputError(collection + ": It names no pictures of spheres (spheres_0000.vtp); give the solution.pvd of a run "
                                  "with spheres.");
  return result;
}

std::size_t write_trajectory(const std::string &collection, const SphereConventions &conventions, const std::string &file)
{
  const std::vector<Moment> moments = moments_of(collection);
  write_text_file(file, [&](std::ostream &out) {
    for (std::size_t k = 0; k < moments.size(); ++k)
      {
        const SphereFile spheres = read_vtp(moments[k].file, conventions);
        write_lammps_dump(out, spheres, static_cast<long long>(k), moments[k].time);
      }
  });
  return moments.size();
}
} // namespace moreau::exchange
