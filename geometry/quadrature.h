// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_GEOMETRY_QUADRATURE_H
#define MOREAU_GEOMETRY_QUADRATURE_H

#include "geometry/field.h"

namespace moreau::geometry
{
/// Points in the unit cube [0,1]^dim (dim x n) and weights that sum to 1.
struct Rule
{
  Eigen::MatrixXd points;
  Vector          weights;

  Index size() const { return weights.size(); }
};

/// Gauss's rule with n points per direction, exact to degree 2n-1 in each.
Rule gauss_rule(int n, int dim);

/// The same on the lower face of the unit cube along an axis (one point in dimension 1).
Rule face_rule(int n, int dim, int axis);
} // namespace moreau::geometry

#endif
