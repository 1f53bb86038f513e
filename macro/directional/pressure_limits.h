// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MACRO_DIRECTIONAL_PRESSURE_LIMITS_H
#define MOREAU_MACRO_DIRECTIONAL_PRESSURE_LIMITS_H

#include "macro/directional/simplex_pressure.h"

#include <memory>

namespace moreau::macro
{
/// Which Bernstein coefficients of pressures are admissible, so that the pressures are: p_k >= 0 and what facets demand
/// (DirectionalZone::crossing); of circular cones the polar cone for the least s around, no traction on free boundaries and
/// one along the normal, which pushes, on walls.
class PressureLimits
{
public:
  virtual ~PressureLimits() = default;

  /// Makes nodal values (K x n_nodes) admissible.
  virtual void limit_nodes(Eigen::MatrixXd &nodes) const = 0;

  /// Makes coefficients of edges (K x n_edges) admissible; means: those of the admissible values at their ends.
  virtual void limit_edges(Eigen::MatrixXd &edges, const Eigen::MatrixXd &means) const = 0;

  /// Coefficients that were admissible before they were moved by multiples of limited steps: the nearest admissible ones.
  virtual void limit(SimplexPressure &p) const = 0;

  /// Factors of a descent, one for each coefficient, made such that limit() is a projection in the metric that they define:
  /// 0 where a coefficient has to stay.
  virtual void limit_steps(SimplexPressure &steps) const = 0;
};

/// Of the cone of the zone.
std::unique_ptr<PressureLimits> pressure_limits(const DirectionalZone &zone, const SimplexEdges &edges);

/// Those of a circular cone.
std::unique_ptr<PressureLimits> circular_limits(const DirectionalZone &zone, const SimplexEdges &edges);
} // namespace moreau::macro

#endif
