// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MACRO_DIRECTIONAL_SIMPLEX_PRESSURE_H
#define MOREAU_MACRO_DIRECTIONAL_SIMPLEX_PRESSURE_H

#include "macro/directional/zone.h"

namespace moreau::macro
{
/// Edges of the simplices, each once.
struct SimplexEdges
{
  Eigen::MatrixXi ends;    ///< 2 x n_edges: nodes
  Eigen::MatrixXi of_cell; ///< dim(dim+1)/2 x n_simplices: edges between vertices (0,1), (0,2), ... (1,2), ...
};

SimplexEdges simplex_edges(const SimplexMesh &mesh);

/// K pressures, continuous in every grain and quadratic on every simplex, by their Bernstein coefficients:
///     p = Σ_i c_i λ_i² + Σ_{i<j} 2 c_ij λ_i λ_j.
/// p >= 0 where the coefficients are.
struct SimplexPressure
{
  Eigen::MatrixXd nodes; ///< K x n_nodes of zone.grains: c_i = p at the node (m²/s)
  Eigen::MatrixXd edges; ///< K x n_edges of zone.grains: c_ij

  /// Coefficients of p_k on a simplex as a symmetric matrix C: p = λᵀCλ.
  SimplexMatrix coefficients(const DirectionalZone &zone, const SimplexEdges &edges, Index simplex, int k) const;

  /// B*p = Σ_k A_k ∇p_k on a simplex: linear there, by its values at the vertices (dim x (dim + 1), m/s).
  SimplexMatrix gradient(const DirectionalZone &zone, const SimplexEdges &edges, Index simplex) const;

  /// Means of p_1 ... p_K over a simplex.
  Vector means(const DirectionalZone &zone, const SimplexEdges &edges, Index simplex) const;
};

class PressureLimits;

/// A quadratic function from nodal values p that are admissible:
///     c_ab = (p_a + p_b)/2 + (g_a - g_b)·(x_b - x_a)/4,   g = nodal means of ∇p,
/// a mean of what p_a, g_a and p_b, g_b say about the middle, made admissible (p_k >= 0; 0 on facets
/// where p_k = 0, without the second term on facets where p_k is tied).
SimplexPressure quadratic_pressure(const DirectionalZone &zone, const SimplexEdges &edges, const PressureLimits &limits,
                                   const Eigen::MatrixXd &p);

/// The linear function on simplices with such nodal values: it has kinks where p has them between simplices.
SimplexPressure linear_pressure(const SimplexEdges &edges, const Eigen::MatrixXd &p);

/// 1 for coefficients of which no facet demands that they are 0 or tied to others, else 0.
SimplexPressure free_coefficients(const DirectionalZone &zone, const SimplexEdges &edges);

/// Nodal pressures from pressures that are constant on simplices: the linear function with these means, roughly (two
/// corrections of the nodal mean, without which values on the boundary would be those half a cell inside); admissible, 0
/// where a facet ties p_k.
Eigen::MatrixXd nodal_pressures(const DirectionalZone &zone, const PressureLimits &limits,
                                const Eigen::MatrixXd &cell_pressures);
} // namespace moreau::macro

#endif
