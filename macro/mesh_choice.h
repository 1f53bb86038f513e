// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MACRO_MESH_CHOICE_H
#define MOREAU_MACRO_MESH_CHOICE_H

#include <filesystem>
#include <string>

namespace moreau::macro
{
/// How the mesh of a directional cone lies.
enum class Alignment
{
  automatic,
  lattice,
  box
};

/// "automatic", "lattice", "box".
std::string name(Alignment alignment);

/// What the projection is computed on.
struct MeshChoice
{
  double                cells_per_unit_length = 64.;
  std::filesystem::path file; ///< Gmsh; empty: the box
  unsigned int          adaptive_cycles = 0;
  bool                  raviart_thomas  = false; ///< isotropic cone: deal.II's RT1 on the box, too
  Alignment             alignment       = Alignment::automatic;
};
} // namespace moreau::macro

#endif
