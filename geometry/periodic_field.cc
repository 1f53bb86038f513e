// SPDX-License-Identifier: GPL-3.0-or-later
#include "geometry/periodic_field.h"

#include <cmath>
#include <limits>

namespace moreau::geometry
{
namespace
{
/// What is known of f + A x, where f is known like this.
OnHull plus_linear(OnHull known, const Eigen::MatrixXd &A, const Eigen::MatrixXd &corners)
{
  const Eigen::MatrixXd linear = A * corners;
  if (known.value.size() > 0)
    {
      known.value += linear.rowwise().mean();
      known.gradient += A;
    }
  if (known.lower.size() > 0)
    {
      known.lower += linear.rowwise().minCoeff();
      known.upper += linear.rowwise().maxCoeff();
    }
  return known;
}

/// Nothing of a function with n components.
OnHull nothing_known(const Index n, const Index dim)
{
  constexpr double infinite = std::numeric_limits<double>::infinity();
  OnHull           result;
  result.value = Vector::Zero(n);
  result.remainder.setConstant(n, infinite);
  result.lower.setConstant(n, -infinite);
  result.upper.setConstant(n, infinite);
  result.gradient = Eigen::MatrixXd::Zero(n, dim);
  return result;
}
} // namespace

Eigen::MatrixXd wrapped(const Eigen::MatrixXd &x, const Vector &lower, const Vector &upper, const PeriodicAxes &axes)
{
  Eigen::MatrixXd result = x;
  for (Index axis = 0; axis < x.rows(); ++axis)
    if (axes[axis])
      {
        const double period = upper(axis) - lower(axis);
        for (Index k = 0; k < x.cols(); ++k)
          result(axis, k) -= period * std::floor((x(axis, k) - lower(axis)) / period);
      }
  return result;
}

Field fluctuation(const Field &U, const Eigen::MatrixXd &D, const Vector &lower, const Vector &upper,
                  const PeriodicAxes &axes)
{
  if (!any(axes))
    return U;
  const auto within = [lower, upper, axes](const Eigen::MatrixXd &x) { return wrapped(x, lower, upper, axes); };
  Field      result([U, D, within](const Eigen::MatrixXd &x, Eigen::MatrixXd &values) {
    const Eigen::MatrixXd in_box = within(x);
    U(in_box, values);
    if (D.size() > 0)
      values -= D * in_box;
  });
  if (U.on_hull)
    result.on_hull = [U, D, lower, upper, axes, within](const Eigen::MatrixXd &corners) {
      const Vector          mean   = corners.rowwise().mean();
      const Eigen::MatrixXd in_box = corners.colwise() + (Vector(within(mean)) - mean);
      for (Index axis = 0; axis < in_box.rows(); ++axis)
        if (const double rounding = 1e-11 * (upper(axis) - lower(axis));
            axes[axis] && !(in_box.row(axis).minCoeff() >= lower(axis) - rounding &&
                            in_box.row(axis).maxCoeff() <= upper(axis) + rounding))
          return nothing_known(in_box.rows(), in_box.rows());
      const OnHull known = U.on_hull(in_box);
      return D.size() > 0 ? plus_linear(known, -D, in_box) : known;
    };
  return result;
}

Field with_mean_gradient(const Field &w, const Eigen::MatrixXd &D)
{
  if (D.size() == 0)
    return w;
  Field result([w, D](const Eigen::MatrixXd &x, Eigen::MatrixXd &values) {
    w(x, values);
    values += D * x;
  });
  if (w.on_hull)
    result.on_hull = [w, D](const Eigen::MatrixXd &corners) { return plus_linear(w.on_hull(corners), D, corners); };
  return result;
}
} // namespace moreau::geometry
