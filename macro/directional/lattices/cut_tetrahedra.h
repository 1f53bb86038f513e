// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MACRO_DIRECTIONAL_LATTICES_CUT_TETRAHEDRA_H
#define MOREAU_MACRO_DIRECTIONAL_LATTICES_CUT_TETRAHEDRA_H

#include "macro/directional/lattices/cut_simplex.h"

namespace moreau::macro
{
using Tetrahedron    = Eigen::Matrix<double, 3, 4>; ///< its corners (m)
using CutTetrahedron = CutSimplex<3>;

/// The 35 points that divide a tetrahedron into 64 equal in volume (barycentric), a little inside of it, where rounding does
/// not matter: those at which the boundary of the zone is looked for.
const Eigen::Matrix4Xd &samples_of_tetrahedron();

/// Whether a side of the box cuts it: parts are within and parts beyond, by more than rounding.
bool is_cut_by_box(const Domain &domain, const Tetrahedron &corners);

/// What the box cuts off is cut off exactly. The boundary of the zone crosses edges of the 64 parts of a tetrahedron where
/// bisection finds it, and is a plane between these points: single planes come out exactly, of curves a third of the
/// difference to what 8 parts give is the error. U is integrated by a rule of degree 2 on what is saturated.
std::vector<CutTetrahedron> cut_tetrahedra(const Setting &setting, const std::vector<Tetrahedron> &corners);
} // namespace moreau::macro

#endif
