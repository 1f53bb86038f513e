// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MACRO_DIRECTIONAL_LATTICES_FACE_CENTRED_CERTIFICATE_H
#define MOREAU_MACRO_DIRECTIONAL_LATTICES_FACE_CENTRED_CERTIFICATE_H

#include "macro/directional/lattices/face_centred_mesh.h"
#include "macro/directional/inner_approximation.h"
#include "macro/total_bound.h"

namespace moreau::macro
{
/// Pressures at nodes (6 x n_nodes, m²/s) from the multipliers of shared rows. Those of rows at centres of octahedra go to
/// the two edges of the octahedron along the same direction, as both kinds share what an average would make jump from
/// node to node. An edge carries its multiplier as a pressure on its part of the zone; sites have the mean of their two
/// edges along e_k, centres that of the two of their octahedron.
Eigen::MatrixXd nodal_pressures(const FaceCentredMesh &mesh, const SharedRows &rows, const Vector &multipliers);

/// η of v, linear on the tetrahedra with nodal values v (3 per node), which is admissible where `feasible` says so.
/// Where the zone is a union of tetrahedra: with quadratic pressures on these (SimplexPair).
///   multipliers  of the rows of the inner approximation, from which pressures begin
TotalBound face_centred_total_bound(const Setting &setting, const FaceCentredMesh &mesh, const SharedRows &rows,
                                    const Vector &v, bool feasible, const Vector &multipliers,
                                    const Progress &progress = {});
} // namespace moreau::macro

#endif
