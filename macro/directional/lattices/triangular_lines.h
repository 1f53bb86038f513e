// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MACRO_DIRECTIONAL_LATTICES_TRIANGULAR_LINES_H
#define MOREAU_MACRO_DIRECTIONAL_LATTICES_TRIANGULAR_LINES_H

#include "macro/directional/lattices/lattice_lines.h"
#include "macro/directional/lattices/triangular_walls.h"

namespace moreau::macro
{
/// The bound of the triangular cone with pressures on lines, after a polish: the points are the centres of all parts of the
/// triangles, divided into nine. p begins with the multipliers of the edges; on walls q is that of `on_walls`, and of what
/// p_k make q n there the closest to those that the multipliers have a spacing further inside.
///   row_of_edge, p  of mesh.constraint() and the solution;  v  admissible, 2 per node
///   feasible        false: v is known to violate a constraint
TotalBound bound_of_triangular_lines(const Setting &setting, const TriangularMesh &mesh, const std::vector<int> &row_of_edge,
                                     const Vector &p, const Vector &v, const std::vector<WallPressure::Part> &on_walls,
                                     bool feasible, const Progress &progress = {});
} // namespace moreau::macro

#endif
