// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MACRO_DIRECTIONAL_LATTICES_FACE_CENTRED_LINES_H
#define MOREAU_MACRO_DIRECTIONAL_LATTICES_FACE_CENTRED_LINES_H

#include "macro/directional/lattices/face_centred_mesh.h"
#include "macro/directional/lattices/lattice_lines.h"

namespace moreau::macro
{
/// The bound of the face-centred cubic cone with pressures on lines, after a polish, without walls: the points are the
/// centres of all cubes, divided into eight. A cube that holds matter and none of its points counts at its centre of mass,
/// without pressures.
///   p      6 x n_nodes, linear on tetrahedra: to begin with (m²/s)
///   v      nodal values of a linear velocity (3 per node)
///   facts  whether v is admissible
TotalBound bound_of_face_centred_lines(const Setting &setting, const FaceCentredMesh &mesh, const Eigen::MatrixXd &p,
                                       const Vector &v, AdmissiblePair::Facts facts, const Progress &progress = {});
} // namespace moreau::macro

#endif
