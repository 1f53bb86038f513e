// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MACRO_DIRECTIONAL_INNER_APPROXIMATION_H
#define MOREAU_MACRO_DIRECTIONAL_INNER_APPROXIMATION_H

#include "convex/cone_projection.h"
#include "macro/directional/zone.h"

/// The directional cone from inside: velocities that are continuous and linear on every simplex (P1), with the inequality on
/// every simplex. What satisfies the rows is admissible in the continuous sense, too.
///
///     (Bv)_{T,k} = -L ∂_{e_k}(v·e_k) on T        for all simplices T, k = 1 ... K (k fastest),
///     (Bv)_{i,s} = v_i·n_s                       for nodes i on walls s, behind them (unilateral: v·n <= 0),
///     <u,v>      = Σ_i m_i u_i·v_i,   m_i = Σ_T∋i |T| / (dim + 1): lumped.
/// L is the length of an edge, so that rows are velocities (m/s). The multiplier of (T,k) is p_k |T| / L.
namespace moreau::macro
{
/// nodal_U: the velocity to project, dim x n_nodes (SimplexData::nodal_means). Has an expansion x - c on every connected
/// part that does not reach from a wall to the opposite one.
convex::ProjectionProblem inner_approximation(const DirectionalZone &zone, const Eigen::MatrixXd &nodal_U);

/// p_k on simplices (K x n_simplices, m²/s) from multipliers.
Eigen::MatrixXd cell_pressures(const DirectionalZone &zone, const convex::Vector &multipliers);
} // namespace moreau::macro

#endif
