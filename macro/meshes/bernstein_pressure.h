// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MACRO_MESHES_BERNSTEIN_PRESSURE_H
#define MOREAU_MACRO_MESHES_BERNSTEIN_PRESSURE_H

#include "macro/meshes/space.h"

#include <memory>

namespace moreau::macro
{
/// Continuous pressures that certify: biquadratic Bernstein polynomials in the plane, trilinear functions in space, 0 where
/// the zone ends, free on walls. With coefficients >= 0 they are >= 0. At
/// hanging nodes they follow the coarse side (de Casteljau, weights >= 0).
template <int dim>
class BernsteinPressure
{
public:
  explicit BernsteinPressure(const MixedMesh<dim> &mesh);
  ~BernsteinPressure();

  /// Coefficients (own) of the p >= 0 that minimises |U - ∇p|² over this space: the obstacle problem, which makes the
  /// bound as small as this space allows, by a primal-dual active set; after
  /// 40 changes of the set what it has reached, cut off at 0.
  ///   cell_pressures  a guess: one number per saturated own cell (m²/s)
  Vector best_fit(const Field &U, const Vector &cell_pressures) const;

  /// Local coefficients of the saturated own cell c from `fetched` ones.
  Vector fetched(const Vector &coefficients) const { return numbering.fetched(coefficients); }
  Vector on_cell(const Index c, const Vector &fetched_coefficients) const { return cells[c].gather(fetched_coefficients); }

  /// Gauss's rule with n_gauss points per direction, the same points as
  /// RaviartThomas's evaluator. Refers to this object and its mesh.
  std::unique_ptr<CellEvaluator> evaluator(int n_gauss) const;

  Index n_coefficients() const { return numbering.n_own(); }

private:
  struct DealII;
  std::unique_ptr<DealII> elements;
  Processes               processes;
  GhostExchange           numbering;
  std::vector<CellMap>    cells; ///< saturated own cells: local coefficients from free ones
};
} // namespace moreau::macro

#endif
