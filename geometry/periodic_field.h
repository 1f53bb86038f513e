// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_GEOMETRY_PERIODIC_FIELD_H
#define MOREAU_GEOMETRY_PERIODIC_FIELD_H

#include "geometry/field.h"

#include <array>

namespace moreau::geometry
{
/// Axes along which a box repeats itself.
using PeriodicAxes = std::array<bool, 3>;
/// Whether there is one.
inline bool any(const PeriodicAxes &axes) { return axes[0] || axes[1] || axes[2]; }

/// The points of the box (lower <= x < upper along periodic axes) that the columns of x are images of (dim x n, m).
Eigen::MatrixXd wrapped(const Eigen::MatrixXd &x, const Vector &lower, const Vector &upper, const PeriodicAxes &axes);

/// What repeats itself of a velocity U = D x + w that is given in a box: w, for x anywhere along periodic axes. What is
/// known of U between points is known of w, but where points lie in several images of the box.
///   D  dim x dim (1/s); of size 0: none
Field fluctuation(const Field &U, const Eigen::MatrixXd &D, const Vector &lower, const Vector &upper,
                  const PeriodicAxes &axes);

/// D x + w, without jumps at the sides of a box: w is repeated. The inverse of fluctuation() within the box.
Field with_mean_gradient(const Field &w, const Eigen::MatrixXd &D);
} // namespace moreau::geometry

#endif
