// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MACRO_DIRECTIONAL_CUT_TRIANGLES_H
#define MOREAU_MACRO_DIRECTIONAL_CUT_TRIANGLES_H

#include "macro/discretize.h"

#include <vector>

namespace moreau::macro
{
/// A triangle T of which D, the saturated zone, may hold a part only, or in which U jumps.
struct CutTriangle
{
  Eigen::Vector3d             mass;          ///< ∫_{T∩D} λ_k of its barycentric coordinates (m²)
  Eigen::Matrix<double, 2, 3> momentum;      ///< ∫_{T∩D} λ_k U (m³/s)
  double                      error = 0.;    ///< of the area of T∩D, estimated: 0 for straight edges up to rounding (m²)
  bool                        cut   = false; ///< D does not hold all of it
};

/// The boundary is followed by dividing a triangle into four, again and again, until it is straight in every part up to 1e-4
/// of the spacing: straight edges exactly, curved ones with an estimated error. U is integrated by a rule of degree 2 on
/// what is left, at 256 points where the zone holds all of T.
///   corners  of every triangle, counterclockwise (m)
std::vector<CutTriangle> cut_triangles(const Setting &setting, const std::vector<Eigen::Matrix<double, 2, 3>> &corners);
} // namespace moreau::macro

#endif
