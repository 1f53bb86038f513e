// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MACRO_DIRECTIONAL_TRIANGULAR_LINES_H
#define MOREAU_MACRO_DIRECTIONAL_TRIANGULAR_LINES_H

#include "macro/directional/lattice_lines.h"
#include "macro/directional/lattice_mesh.h"

namespace moreau::macro
{
/// The bound of the triangular cone with pressures on lines, after a polish, without walls: the points are the centres of
/// all parts of the triangles, divided into nine. p begins with the multipliers of the edges.
///   row_of_edge, p  of mesh.constraint() and the solution;  v  admissible, 2 per node
TotalBound bound_of_triangular_lines(const Setting &setting, const TriangularMesh &mesh, const std::vector<int> &row_of_edge,
                                     const Vector &p, const Vector &v);
} // namespace moreau::macro

#endif
