// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/meshes/on_triangulation.h"

#include "convex/input_error.h"
#include "macro/meshes/mesh_file.h"

#include <deal.II/distributed/tria_base.h>
#include <deal.II/grid/tria.h>

#include <algorithm>
#include <limits>

namespace moreau::macro
{
template <int dim>
void check_triangulation(const dealii::Triangulation<dim, dim> &triangulation, Setting &setting)
{
  if (setting.cone.type != ConeType::isotropic)
    throw InputError("the cone", "A triangulation of the caller offers the isotropic cone only; directional cones choose "
                                 "meshes of their own.");
  if (triangulation.n_levels() == 0)
    throw InputError("the mesh", "The triangulation has no cell; make one before.");
  if (!triangulation.all_reference_cells_are_hyper_cube())
    throw InputError("the mesh", "The triangulation has cells that are neither quadrilaterals nor hexahedra; use these.");
  const auto *const shared = dynamic_cast<const dealii::parallel::TriangulationBase<dim, dim> *>(&triangulation);
  if (setting.processes.size() > 1 && shared == nullptr && triangulation.n_levels() > 1)
    throw InputError("the mesh",
                     "A serial triangulation that is refined cannot be shared among processes; give a coarse one, "
                     "or a parallel::distributed::Triangulation.");

  setting.domain.lower = Vector::Constant(dim, std::numeric_limits<double>::infinity());
  setting.domain.upper = -setting.domain.lower;
  for (const auto &cell : triangulation.cell_iterators_on_level(0)) // every process knows all of them
    {
      for (const unsigned int k : cell->vertex_indices())
        for (int a = 0; a < dim; ++a)
          {
            setting.domain.lower(a) = std::min(setting.domain.lower(a), cell->vertex(k)[a]);
            setting.domain.upper(a) = std::max(setting.domain.upper(a), cell->vertex(k)[a]);
          }
      if (dim == 3 && !is_affine<dim>(cell, 1e-9))
        throw InputError("the mesh", "A hexahedron of the triangulation is no parallelepiped; move its vertices.");
    }
}

template void check_triangulation<2>(const dealii::Triangulation<2, 2> &, Setting &);
template void check_triangulation<3>(const dealii::Triangulation<3, 3> &, Setting &);
} // namespace moreau::macro
