// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MACRO_DIRECTIONAL_CIRCULAR_TENSORS_H
#define MOREAU_MACRO_DIRECTIONAL_CIRCULAR_TENSORS_H

#include "macro/directional/simplex_mesh.h"

#include <cmath>
#include <optional>
#include <utility>
#include <vector>

/// The circular cone of Drucker and Prager and its polar, by coordinates of symmetric tensors: with an orthonormal basis
/// A_0 = I/√d, A_1, ... of them (A:B = Σ A_ij B_ij)
///     K°_s = { D : D_0 >= s√(d-1) |(D_1, ...)| },      stresses σ with σ:D >= 0 for all D:  s√(d-1) σ_0 >= |(σ_1, ...)|,
/// which is tr D >= s√(d(d-1)) |dev D|: shear stresses up to s√(d(d-1)) times the mean pressure tr σ/d.
namespace moreau::macro
{
/// A_0 = I/√d, then deviators: d(d+1)/2 orthonormal tensors, dim x dim.
std::vector<SimplexMatrix> circular_tensors(int dim);

/// s√(d-1).
inline double circular_slope(const int dim, const double s) { return s * std::sqrt(dim - 1.); }

/// (tr D - s√(d(d-1)) |dev D|)/d of the symmetric part of D (dim x dim): how far inside of K°_s, as an expansion rate.
double circular_margin(const SimplexMatrix &D, double s);
/// Of a jump [v] = q n + t, t along the facet with the unit normal n, n⊗[v] lies in the cone where
///     √(1 - s²(d-1)²) q >= s√(d(d-1)/2) |t|.
/// These two factors; none where s(d-1) > 1, as in space for s > 1/2: nothing may part there.
std::optional<std::pair<double, double>> circular_jump(int dim, double s);
} // namespace moreau::macro

#endif
