// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_HOMOGENIZATION_CELL_LOCATION_H
#define MOREAU_HOMOGENIZATION_CELL_LOCATION_H

#include "geometry/field.h"
#include "micro/spheres.h"

#include <memory>
#include <vector>

namespace moreau::homogenization
{
using Eigen::Index;
using Vector = Eigen::VectorXd;

/// Which cell holds a point: the sphere with the least |x - r_i|² - R_i²,
/// found with a grid of about one centre per square or cube.
class CellLocation
{
public:
  explicit CellLocation(const micro::Spheres &spheres);

  /// x: length d (m). Of several that are equally near the one with the lowest number.
  Index cell(const double *x) const;

private:
  /// The nearest centre among those of the grid cells at Chebyshev distance `ring` from `start`.
  void search_ring(const Index *start, Index ring, const double *x, double &least, Index &nearest) const;

  Eigen::MatrixXd    r;
  Vector             R_squared;
  double             largest_R_squared;
  Vector             lower;
  double             side;
  std::vector<Index> n; ///< grid cells per axis
  std::vector<int>   start, member;
};

/// A field that is constant on cells as a function of position: the prolongation of v (d n, interleaved by sphere).
geometry::Field prolongation(const micro::Spheres &spheres, Vector v);
} // namespace moreau::homogenization

#endif
