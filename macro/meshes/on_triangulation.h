// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MACRO_MESHES_ON_TRIANGULATION_H
#define MOREAU_MACRO_MESHES_ON_TRIANGULATION_H

#include "macro/discretize.h"

#include <memory>

namespace dealii
{
template <int, int>
class Triangulation;
}

namespace moreau::macro
{
/// The isotropic projection on a triangulation of deal.II's that the caller has made (quadrilaterals, or parallelepipeds in
/// space; refined or not): Raviart-Thomas velocities, as on meshes from files. fields() has the locally owned active cells
/// in the caller's order. The triangulation is copied and need not live on.
///   setting.processes      Processes(communicator) of the caller: for several processes that of a
///                          parallel::distributed::Triangulation, or of a coarse serial one that every process has
///   setting.domain.lower,  upper  are set to the smallest box around the mesh; walls are faces on its sides
///   setting.mesh           is not used
/// Collective on setting.processes. Throws InputError("the mesh", ...) for a mesh without cells, with simplices, or with
/// other hexahedra, InputError("the cone", ...) for another cone and InputError("the walls", ...) for a wall without a face.
template <int dim>
std::unique_ptr<Discretization> on_triangulation(const dealii::Triangulation<dim, dim> &triangulation, Setting setting);

/// Checks it and sets the box of the setting: what on_triangulation() does first.
template <int dim>
void check_triangulation(const dealii::Triangulation<dim, dim> &triangulation, Setting &setting);
} // namespace moreau::macro

#endif
