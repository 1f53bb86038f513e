// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/directional/jamming_stress.h"

#include <algorithm>
#include <cmath>

namespace moreau::macro
{
namespace
{
/// T on walls that face each other; 0 where there are none.
SimplexMatrix between_walls(const DirectionalZone &zone)
{
  const int     dim     = zone.dim();
  Sides         on_wall = {};
  SimplexMatrix T       = SimplexMatrix::Zero(dim, dim);
  for (const signed char side : zone.side_of_facet)
    if (side >= 0)
      on_wall[side] = true;
  for (int a = 0; a < dim; ++a)
    T(a, a) = on_wall[2 * a] && on_wall[2 * a + 1] ? 1. : 0.;
  return T;
}
} // namespace

Vector jamming_stress(const DirectionalZone &zone, const convex::ProjectionProblem &inner)
{
  const int           dim = zone.dim();
  const SimplexMatrix T   = between_walls(zone);
  const double        r   = T.trace();
  if (!zone.is_circular() || r == 0.)
    return {};
  constexpr double tiny = 1e-12; // thresholds are squares of what was typed
  if (const double s = zone.dilatancy.minCoeff(); s * s * (dim - 1.) * r < (dim - r) - tiny || s == 0.)
    return {};

  const SimplexMesh &mesh    = zone.zone.mesh;
  Vector             stress  = Vector::Zero(inner.n_constraints());
  Vector             balance = Vector::Zero(inner.n_unknowns()); // what walls have to bear
  for (Index t = 0; t < mesh.n_simplices(); ++t)
    {
      const double volume = zone.zone.volumes(t);
      for (int k = 0; k < zone.K; ++k)
        stress(zone.K * t + k) = volume * zone.tensors[k].cwiseProduct(T).sum() / zone.tensors[k].squaredNorm() /
                                 (zone.length * zone.row_weight(t, k));
      const Eigen::MatrixXd forces = volume * T * zone.zone.gradients_of(t);
      for (int i = 0; i <= dim; ++i)
        balance.segment(dim * mesh.simplices(i, t), dim) += forces.col(i);
    }
  Index row = zone.K * mesh.n_simplices();
  for (const auto &[node, side] : nodes_on_walls(zone))
    stress(row++) = std::max(0., (side % 2 == 0 ? -1. : 1.) * balance(dim * node + side / 2));
  return stress;
}
} // namespace moreau::macro
