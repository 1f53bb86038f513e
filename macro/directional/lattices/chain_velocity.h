// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MACRO_DIRECTIONAL_LATTICES_CHAIN_VELOCITY_H
#define MOREAU_MACRO_DIRECTIONAL_LATTICES_CHAIN_VELOCITY_H

#include "macro/directional/lattices/axis_chains.h"
#include "macro/directional/velocity_on_mesh.h"

namespace moreau::macro
{
/// The v of chain_total_bound() at a point: cell values, or what interpolates them linearly between centres. Beside the mesh
/// that of the nearest point of a saturated cell, two cells away at most. Keeps references to grid and chains.
class ChainVelocity
{
public:
  /// u: admissible cell values (dim * n_nodes); smooth: which of the two pairs.
  ChainVelocity(const AlignedGrid &grid, const convex::ChainFamilies &chains, Vector u, bool smooth);

  Reach operator()(const double *x, double *v) const;

private:
  using Local = std::array<double, 3>; ///< in cells along the axes

  Reach beside(const Local &s, double *v) const;
  void  evaluate(int node, const Local &xi, double *v) const;

  const AlignedGrid      &grid;
  Vector                  u;
  std::vector<AxisChains> families; ///< empty where v is constant on cells
  Eigen::MatrixXd         to_cells; ///< rows: what turns x - origin into cells along the axes
};
} // namespace moreau::macro

#endif
