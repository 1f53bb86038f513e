// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MACRO_MESHES_CERTIFICATE_H
#define MOREAU_MACRO_MESHES_CERTIFICATE_H

#include "macro/meshes/space.h"
#include "macro/total_bound.h"

namespace moreau::macro
{
/// η² = |v - (U - ∇p)|² + 2∫p div v - 2∫_wall p v·n over the zone by
/// Gauss's rule, for v in the Raviart-Thomas space (own coefficients)
/// and p given cell by cell; `oscillation`: how far U is from polynomials of a degree that the rule integrates exactly.
///   velocities, pressures   evaluators of the same rule with n_gauss points per direction
///   pressure_on_cell        local coefficients of p in the saturated own cell c
///   n_own_cells             of the mesh, for the indicator
TotalBound mixed_total_bound(const MixedSpace &space, const Vector &v, const Field &U, CellEvaluator &velocities,
                             CellEvaluator &pressures, const std::function<Vector(Index c)> &pressure_on_cell, int n_gauss,
                             Index n_own_cells);
} // namespace moreau::macro

#endif
