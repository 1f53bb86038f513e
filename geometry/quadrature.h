// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_GEOMETRY_QUADRATURE_H
#define MOREAU_GEOMETRY_QUADRATURE_H

#include "geometry/field.h"

#include <functional>

namespace moreau::geometry
{
/// Points in the unit cube [0,1]^dim (dim x n) and weights that sum to 1.
struct Rule
{
  Eigen::MatrixXd points;
  Vector          weights;

  Index size() const { return weights.size(); }
};

/// Gauss's rule with n points per direction, exact to degree 2n-1 in each, on each of n_parts^dim equal parts of the cube.
Rule gauss_rule(int n, int dim, int n_parts = 1);

/// The same on the lower face of the unit cube along an axis (one point in dimension 1).
Rule face_rule(int n, int dim, int axis, int n_parts = 1);

/// Corners of the unit cube (dim x 2^dim), moved into it by `inwards` along each axis.
Eigen::MatrixXd corners(int dim, double inwards);

/// Corners of the smallest box around points (dim x n), along the axes, in that order.
Eigen::MatrixXd box_around(const Eigen::MatrixXd &points);

/// Mean of f over [a, a + length] by Gauss's rule with n points.
Vector mean_over(double a, double length, const std::function<Vector(double)> &f, int n);
} // namespace moreau::geometry

#endif
