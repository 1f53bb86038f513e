// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MACRO_DIRECTIONAL_OUTER_APPROXIMATION_H
#define MOREAU_MACRO_DIRECTIONAL_OUTER_APPROXIMATION_H

#include "convex/cone_projection.h"
#include "macro/directional/zone.h"

#include <Eigen/SparseCore>

/// The directional cone from outside: velocities constant on simplices,
/// pressures p_k >= 0 linear on them (P1) and continuous in every grain.
/// They vanish only where e_k crosses a free boundary; zero on the whole
/// boundary would be the wrong space and cost half an order.
namespace moreau::macro
{
/// Generators of the admissible nodal pressures p = Rλ, λ >= 0: K*n_nodes x
/// n_rays, n_nodes those of zone.grains, p_k of node i in row K*i + k.
/// Away from boundaries a column is a single p_k. Where facets tie pressures (walls that are oblique to directions,
/// boundaries between grains) the columns of a node are the extreme rays of { q >= 0 : the traction of q is along n on walls
/// and continuous between grains }.
Eigen::SparseMatrix<double> pressure_rays(const DirectionalZone &zone);

/// Projection of the cell means of U (dim x n_simplices) on { v constant on
/// simplices : <Bv,q> <= 0 for all such q }. One row per ray,
///     (Bv)_r = Σ_T |T| Σ_ik R_(ik)r (A_k ∇λ_i)·v_T / L^{d-1}   (m/s),
/// so that λ_r is the multiplier divided by L^{d-1}.
convex::ProjectionProblem outer_approximation(const DirectionalZone &zone, const Eigen::SparseMatrix<double> &rays,
                                              const Eigen::MatrixXd &means);

/// Nodal pressures (K x n_nodes of zone.grains) from the multipliers of outer_approximation; negative ones count as 0.
Eigen::MatrixXd outer_pressures(const DirectionalZone &zone, const Eigen::SparseMatrix<double> &rays,
                                const Vector &multipliers);
} // namespace moreau::macro

#endif
