// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MACRO_DIRECTIONAL_LATTICES_CUT_TRIANGLES_H
#define MOREAU_MACRO_DIRECTIONAL_LATTICES_CUT_TRIANGLES_H

#include "macro/directional/lattices/cut_simplex.h"

namespace moreau::macro
{
using CutTriangle = CutSimplex<2>;

/// The boundary is followed by dividing a triangle into four, again and again, until it is straight in every part up to 1e-4
/// of the spacing: straight edges exactly, curved ones with an estimated error. U is integrated by a rule of degree 2 on
/// what is left, at 256 points where the zone holds all of T.
///   corners  of every triangle, counterclockwise (m)
std::vector<CutTriangle> cut_triangles(const Setting &setting, const std::vector<Eigen::Matrix<double, 2, 3>> &corners);
} // namespace moreau::macro

#endif
