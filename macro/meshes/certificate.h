// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MACRO_MESHES_CERTIFICATE_H
#define MOREAU_MACRO_MESHES_CERTIFICATE_H

#include "macro/meshes/space.h"
#include "macro/integrals_of_u.h"

namespace moreau::macro
{
/// η² = |v - (U - ∇p)|² + 2∫p div v - 2∫_wall p v·n over the zone by Gauss's rule with n_gauss points per
/// direction, for v in the Raviart-Thomas space and p given cell by cell.
class MeshPair : public AdmissiblePair
{
public:
  /// v                       own coefficients
  /// velocities, pressures   evaluators of that rule
  /// pressure_on_cell        local coefficients of p in the saturated own cell c
  /// facts                   constructions, zone_is_cells, feasible; the rest is set here
  MeshPair(const MixedSpace &space, const Vector &v, const Field &U, CellEvaluator &velocities, CellEvaluator &pressures,
           std::function<Vector(Index c)> pressure_on_cell, int n_gauss, Facts facts);

  GapIntegrals integrals(Index first, Index last, Eigen::MatrixXd &indicators) const override;
  Unseen       hidden(Index first, Index last, bool all_seen) const override;

private:
  const MixedSpace              &space;
  Vector                         v; ///< own coefficients and ghosts
  const Field                   &U;
  CellEvaluator                 &velocities, &pressures;
  std::function<Vector(Index c)> pressure_on_cell;
  IntegralsOfU                   of_U;
};
} // namespace moreau::macro

#endif
