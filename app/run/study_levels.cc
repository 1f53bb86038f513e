// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/run/study_levels.h"

#include "app/input/shared_setting.h"
#include "exchange/hdf5_table.h"

#include <optional>
#include <utility>

namespace moreau::app
{
namespace
{
using homogenization::Packing;

Parameters of_level(const Parameters &parameters, const SourceOfLevel &source)
{
  Parameters result              = parameters;
  result.spheres.per_unit_length = {source.size};
  return result;
}

std::optional<Packing> in_parts(const Parameters &parameters, const SourceOfLevel &source, const macro::Domain &domain,
                                const geometry::Processes &processes)
{
  micro::Spheres some;
  geometry::together(processes,
                     [&] { some = arranged_part(of_level(parameters, source), processes.rank(), processes.size()); });
  return homogenization::packing_in_parts(some, walls(parameters), domain,
                                          {parameters.spheres.contact_tolerance, parameters.homogenization.interpolant},
                                          processes);
}
} // namespace

micro::Spheres spheres_of_level(const Parameters &parameters, const SourceOfLevel &source)
{
  return in_periodic_box(source.file.empty()
                             ? arranged_spheres(of_level(parameters, source))
                             : exchange::read_spheres_of_run(source.file.string(), parameters.dimension).spheres,
                         parameters);
}

bool has_levels_in_parts(const Parameters &parameters)
{
  return is_made_in_parts(parameters) && parameters.motion.periodic.empty();
}

Packing packing_of_level(const Parameters &parameters, const SourceOfLevel &source, const macro::Setting &setting,
                         const geometry::Processes &processes, const geometry::Progress &progress)
{
  if (has_levels_in_parts(parameters))
    {
      if (std::optional<Packing> found = in_parts(parameters, source, setting.domain, processes))
        return std::move(*found);
      require_memory_for_level(parameters, source.size, processes, /*in_parts=*/false);
    }
  std::optional<Packing> result;
  geometry::together(processes, [&] {
    auto all = spheres_of_level(parameters, source);
    progress(.1);
    auto graph =
        micro::contact_graph(all, walls(parameters), parameters.spheres.contact_tolerance, periodic_box(parameters));
    progress(.3);
    result.emplace(std::move(all), walls(parameters), std::move(graph), setting.domain, processes, setting.mean_gradient);
  });
  return std::move(*result);
}
} // namespace moreau::app
