// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MACRO_DIRECTIONAL_LATTICES_TORN_TRIANGLES_H
#define MOREAU_MACRO_DIRECTIONAL_LATTICES_TORN_TRIANGLES_H

#include "macro/directional/lattices/lattice_mesh.h"

#include <optional>

/// Velocities that jump on lines of the triangular lattice, as torn_velocity.h has it on other meshes: at edges along e_k
/// whose sides have nodes of their own the jump [v] must satisfy (e_j·n)(e_j·[v]) >= 0 for the two e_j that cross them.
namespace moreau::macro
{
/// The edges (3 site + k) on which U jumps by more than it changes beside them and where a part of the jump is admissible.
/// Edges that touch walls stay whole, and all do between walls that face each other.
std::vector<Index> edges_where_U_jumps(const Setting &setting, const TriangularMesh &mesh);

/// Adds to an expansion w (2 per node) what opens all torn edges: a tenth of the spacing along their normals.
void open_torn_edges(const TriangularMesh &mesh, Vector &w);

/// Where on the segment from x to y, which runs along e_k, v opens at a torn edge: the first and the last such place as
/// parts of the segment; nothing where it does so nowhere.
///   v  nodal, 2 per node
std::optional<std::pair<double, double>> opening(const TriangularMesh &mesh, const Vector &v, const Eigen::Vector2d &x,
                                                 const Eigen::Vector2d &y, int k);
} // namespace moreau::macro

#endif
