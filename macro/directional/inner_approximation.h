// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MACRO_DIRECTIONAL_INNER_APPROXIMATION_H
#define MOREAU_MACRO_DIRECTIONAL_INNER_APPROXIMATION_H

#include "convex/cone_projection.h"
#include "macro/directional/zone.h"

#include <vector>

/// The directional cone from inside: velocities that are linear on every simplex and continuous but for torn facets, with
/// the inequality on every simplex. What satisfies the rows is admissible in the continuous sense, too.
///
///     (Bv)_{T,k} = -L A_k:∇v on T                for all simplices T, k = 1 ... K (k fastest),
///     (Bv)_{i,s} = v_i·n_s                       for nodes i on walls s, behind them (unilateral: v·n <= 0),
///     (A_k n)·(v_i - v_j)                        for pairs of nodes i, j of torn facets, n from i to j, behind these,
///     <u,v>      = Σ_i m_i u_i·v_i,   m_i = Σ_T∋i |T| / (dim + 1): lumped.
/// A_k = e_k e_kᵀ, (1-s)/d I + s e_k e_kᵀ for dilatant cones, where s is enlarged by zone.inner_factor so that K
/// inequalities stand for all. Of circular cones the K rows of T are w_k A_k:∇v with A_k of circular_tensors.h, and belong
/// together: (D_0, s√(d-1) D_1, ...)/√d lies in the circle { y_0 >= |(y_1, ...)| }. So do the dim rows of a torn facet.
/// L is the length of an edge, so that rows are velocities (m/s). The multiplier of (T,k) is p_k |T| / (L w_k), w_k = 1 of
/// other cones.
namespace moreau::macro
{
/// nodal_U: the velocity to project, dim x n_nodes (SimplexData::nodal_means). Has an expansion x - c on every connected
/// part that does not reach from a wall to the opposite one.
convex::ProjectionProblem inner_approximation(const DirectionalZone &zone, const Eigen::MatrixXd &nodal_U);

/// Where the inequality is the same on several simplices, as that of an edge along e_k is on all around it, its row counts
/// once.
struct SharedRows
{
  Eigen::MatrixXi row; ///< K x n_simplices: the row of (T,k)
  Index           n_rows = 0;

  explicit SharedRows(const DirectionalZone &zone);
};

/// The same with shared rows (then those of walls) and other masses (n_nodes).
convex::ProjectionProblem inner_approximation(const DirectionalZone &zone, const Eigen::MatrixXd &nodal_U,
                                              const Vector &masses, const SharedRows &shared);

/// p_k on simplices from multipliers of shared rows, each spread over its simplices by their volumes (m^d).
Eigen::MatrixXd cell_pressures(const DirectionalZone &zone, const convex::Vector &multipliers, const SharedRows &shared,
                               const Vector &volumes);

/// Rows that press, of an answer (u, p): an interior point leaves no p at 0, so what counts is which of p and -Bu, as
/// velocities, is larger.
std::vector<char> active_rows(const convex::ProjectionProblem &problem, const convex::SaddlePoint &x);

/// p_k on simplices (K x n_simplices, m²/s) from multipliers.
Eigen::MatrixXd cell_pressures(const DirectionalZone &zone, const convex::Vector &multipliers);
} // namespace moreau::macro

#endif
