// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/impact_problem.h"

#include "convex/input_error.h"

namespace moreau::macro
{
std::unique_ptr<Discretization> discretize(const Setting &setting)
{
  const MeshChoice &mesh = setting.mesh;
  if (setting.cone.type == ConeType::isotropic)
    {
      if (mesh.pressure == "continuous")
        return continuous_pressure_discretization(setting);
      if (!mesh.file.empty() || mesh.adaptive_cycles > 0)
        return mixed_discretization(setting);
      return setting.domain.level ? shape_discretization(setting) : staggered_discretization(setting);
    }
  if (mesh.adaptive_cycles > 0)
    throw InputError("Mesh/Adaptive cycles", "Adaptive refinement needs the isotropic cone; set it to 0.");
  return simplex_discretization(setting);
}
} // namespace moreau::macro
