// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_GEOMETRY_FIELD_H
#define MOREAU_GEOMETRY_FIELD_H

#include <Eigen/Core>

#include <functional>
#include <type_traits>
#include <utility>

namespace moreau::geometry
{
using Eigen::Index;
using Vector = Eigen::VectorXd;

/// What is known of a function on the convex hull of some points, of mean c:
///     |f(x) - value - gradient (x - c)| <= remainder,  lower <= f(x) <= upper,  component by component.
struct OnHull
{
  bool            is_polynomial   = false; ///< each component is one there
  bool            is_in_one_piece = false; ///< no branch, kink or jump may lie there
  Vector          value, remainder;        ///< n_components; remainder: infinite where nothing is known
  Vector          lower, upper;            ///< n_components; likewise
  Eigen::MatrixXd gradient;                ///< n_components x dim (1/m)
};

/// A function of position, evaluated at many points at once: x is dim x n (m),
/// values comes as n_components x n and is filled.
/// May be called from several threads. Throws InputError where a value is not finite.
class Field
{
public:
  using Values = std::function<void(const Eigen::MatrixXd &x, Eigen::MatrixXd &values)>;
  /// corners: dim x m, the points of the hull. May be called from several threads.
  using Hulls = std::function<OnHull(const Eigen::MatrixXd &corners)>;

  Field() = default;
  template <class F, class = std::enable_if_t<!std::is_same_v<std::decay_t<F>, Field>>>
  Field(F values, Hulls on_hull = {}) : on_hull(std::move(on_hull)), values(std::move(values)) // NOLINT: as std::function
  {}

  void operator()(const Eigen::MatrixXd &x, Eigen::MatrixXd &values_at_x) const { values(x, values_at_x); }

  explicit operator bool() const { return static_cast<bool>(values); }

  /// What lies between the points at which a function is looked at; empty where it is known in points only.
  Hulls on_hull;

private:
  Values values;
};
} // namespace moreau::geometry

#endif
