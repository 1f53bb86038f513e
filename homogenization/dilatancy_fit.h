// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_HOMOGENIZATION_DILATANCY_FIT_H
#define MOREAU_HOMOGENIZATION_DILATANCY_FIT_H

#include "homogenization/convergence_study.h"

#include <functional>
#include <map>

namespace moreau::homogenization
{
/// The projections u_s of one U on the dilatant, or the circular, cones of s = 0, 0.01, ... 1, each computed when it is
/// first asked for: many packings are compared with the same.
class DilatantProjections
{
public:
  explicit DilatantProjections(std::function<Reference(double s)> projection) : projection(std::move(projection)) {}

  const Reference &operator()(int hundredths);

  Index n_computed() const { return static_cast<Index>(known.size()); }

private:
  std::function<Reference(double s)> projection;
  std::map<int, Reference>           known;
};

/// Which dilatancy v obeys.
struct FittedDilatancy
{
  double s        = 0.; ///< the vertex of the parabola through the three distances |v - u_s|² around the smallest
  double distance = 0.; ///< |v - u_s| there, from the same parabola
  /// Where the nearest exact u_s lies: beyond, distances that were computed are larger even if those and the smallest are
  /// off by all that is known of the u_s. As far as the distance has one minimum.
  double lower = 0., upper = 1.;
  double spread = 0.; ///< the largest less the smallest distance that was computed: 0 where no s is nearer than others

  /// Whether distances change with s by no more than a fiftieth of what they are relative to: then s means nothing.
  ///   scale  |U - mean U|
  bool is_flat(const double scale) const { return spread <= .02 * scale; }
};

/// A search over s of |v - u_s|, v constant on the cells: first s = 0, 0.1, 0.2, 0.4, 0.7, 1, then between the neighbours of
/// the best until they are 0.04 apart.
FittedDilatancy fitted_dilatancy(const VoronoiCells &cells, const Vector &v, DilatantProjections &u);
} // namespace moreau::homogenization

#endif
