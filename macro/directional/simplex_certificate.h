// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MACRO_DIRECTIONAL_SIMPLEX_CERTIFICATE_H
#define MOREAU_MACRO_DIRECTIONAL_SIMPLEX_CERTIFICATE_H

#include "macro/directional/simplex_pressure.h"
#include "macro/integrals_of_u.h"

#include <map>

namespace moreau::macro
{
/// U on the zone at the points of simplex_rule, and what follows from it.
struct SimplexData
{
  Field           field;     ///< U itself
  Eigen::MatrixXd U;         ///< dim x (n_simplices * n_points of the rule), simplex by simplex (m/s)
  Eigen::MatrixXd projected; ///< dim*(dim + 1) x n_simplices: L² projection on linear functions, values at the vertices
  Eigen::MatrixXd means;     ///< dim x n_simplices

  SimplexData(const DirectionalZone &zone, const Field &U, const Progress &progress = {});

  /// Coefficients of the continuous linear velocity that stands for U: nodal means of `projected`, weighted by volumes. It
  /// has the momentum of U, reproduces linear functions up to the boundary and
  /// depends on U near the node only (dim x n_nodes).
  Eigen::MatrixXd nodal_means(const DirectionalZone &zone) const;
};

/// What makes D(p) = |U|² - |U - B*p|² = 2(U, B*p) - |B*p|² largest among Σ_j θ_j p_j, θ >= 0, for a few admissible
/// p_j: since η² = |v - U|² - D(p) it makes the bound smallest for every v.
SimplexPressure best_combination(const DirectionalZone &zone, const SimplexEdges &edges, const SimplexData &data,
                                 const std::vector<SimplexPressure> &candidates);

/// η² = |v - u_p|² + 2 Σ_k ∫ p_k A_k:∇v + 2 Σ_k ∫_torn p_k (A_k n)·[v] - 2 ∫_walls Σ_k p_k (A_k n)·v with u_p = U - B*p:
/// exact but for the part of U that is not quadratic on simplices. Refers to all it is made of.
class SimplexPair : public AdmissiblePair
{
public:
  /// v: coefficients of an admissible P1 velocity; facts: cells, zone_is_cells, feasible; the rest is set here.
  SimplexPair(const DirectionalZone &zone, const SimplexEdges &edges, const SimplexData &data, const Vector &v,
              const SimplexPressure &p, Facts facts = {});

  GapIntegrals integrals(Index first, Index last, Eigen::MatrixXd &indicators) const override;
  Unseen       hidden(Index first, Index last, bool all_seen) const override;

private:
  void   add_wall(std::size_t f, GapIntegrals &on_cell) const;
  void   add_jump(std::size_t f, GapIntegrals &on_cell) const;
  double traction_work(std::size_t f, const SimplexMatrix &v) const;

  const DirectionalZone            &zone;
  const SimplexEdges               &edges;
  const SimplexData                &data;
  const Vector                     &v;
  const SimplexPressure            &p;
  Rule                              rule, on_facets;
  IntegralsOfU                      of_U;
  std::multimap<Index, std::size_t> walls, torn; ///< facets on walls, and torn ones, by their simplex
};
} // namespace moreau::macro

#endif
