// SPDX-License-Identifier: GPL-3.0-or-later
#include "convex/solvers/circular_scaling.h"

#include <algorithm>
#include <cmath>

namespace moreau::convex
{
namespace
{
/// √(y_0² - |y'|²) of a block.
template <class Block>
double root_of_determinant(const Block &y)
{
  const double radius = y.tail(y.size() - 1).norm();
  return std::sqrt(std::max(0., y(0) - radius)) * std::sqrt(y(0) + radius);
}

/// <y, z> >= 0 of two points of Q without cancellation: near the boundary they are nearly opposite beside their axes.
template <class Block>
double positive_product(const Block &y, const Block &z)
{
  const auto   y_radial = y.tail(y.size() - 1), z_radial = z.tail(z.size() - 1);
  const double of_y = y_radial.norm(), of_z = z_radial.norm();
  const double misalignment = of_y > 0. && of_z > 0. ? .5 * (y_radial / of_y + z_radial / of_z).squaredNorm() : 1.;
  return (y(0) - of_y) * z(0) + of_y * (z(0) - of_z) + of_y * of_z * misalignment;
}
} // namespace

Vector CircularAlgebra::product(const Vector &y, const Vector &z) const
{
  Vector result(y.size());
  for (Index b = 0; b < Q.n_blocks(); ++b)
    {
      const Index first = Q.begin[b], k = Q.size(b);
      result(first)                    = y.segment(first, k).dot(z.segment(first, k));
      result.segment(first + 1, k - 1) = y(first) * z.segment(first + 1, k - 1) + z(first) * y.segment(first + 1, k - 1);
    }
  return result;
}

Vector CircularAlgebra::quotient(const Vector &y, const Vector &z) const
{
  Vector result(y.size());
  for (Index b = 0; b < Q.n_blocks(); ++b)
    {
      const Index  first = Q.begin[b], k = Q.size(b);
      const auto   of_y = y.segment(first, k), of_z = z.segment(first, k);
      const double determinant = std::pow(root_of_determinant(of_y), 2), inner = of_y.tail(k - 1).dot(of_z.tail(k - 1));
      result(first)                    = (of_y(0) * of_z(0) - inner) / determinant;
      result.segment(first + 1, k - 1) = (of_z.tail(k - 1) - result(first) * of_y.tail(k - 1)) / of_y(0);
    }
  return result;
}

Vector CircularAlgebra::unit() const
{
  Vector e = Vector::Zero(Q.n_rows());
  for (Index b = 0; b < Q.n_blocks(); ++b)
    e(Q.begin[b]) = 1.;
  return e;
}

double CircularAlgebra::longest_step(const Vector &y, const Vector &dy) const
{
  double longest = 1.;
  for (Index b = 0; b < Q.n_blocks(); ++b)
    {
      const Index first = Q.begin[b], k = Q.size(b);
      // in units of √det y, along the axis that y is turned to: y = e there, and e + a x stays as long as a(|x'| - x_0) <= 1
      const double root = root_of_determinant(y.segment(first, k));
      const Vector unit = y.segment(first, k) / root, along = dy.segment(first, k) / root;
      const double axis = unit(0) * along(0) - unit.tail(k - 1).dot(along.tail(k - 1));
      const Vector rest = along.tail(k - 1) - (axis + along(0)) / (unit(0) + 1.) * unit.tail(k - 1);
      if (const double outward = rest.norm() - axis; longest * outward > 1.)
        longest = 1. / outward;
    }
  return longest;
}

CircularScaling::CircularScaling(const CircularRows &Q, const Vector &s, const Vector &p)
    : Q(Q), v(Q.n_rows()), eta(Q.n_blocks())
{
  for (Index b = 0; b < Q.n_blocks(); ++b)
    {
      const Index  first = Q.begin[b], k = Q.size(b);
      const auto   of_s = s.segment(first, k), of_p = p.segment(first, k);
      const double root_s = root_of_determinant(of_s), root_p = root_of_determinant(of_p);
      Vector       w = of_s / root_s, turned = of_p / root_p;
      const double gamma = std::sqrt(.5 * (1. + positive_product(of_s, of_p) / (root_s * root_p)));
      turned.tail(k - 1) = -turned.tail(k - 1);
      w                  = .5 / gamma * (w + turned);
      // to the last bit on the hyperboloid, on which W⁻¹ is the inverse of W
      w(0) = std::sqrt(1. + w.tail(k - 1).squaredNorm());
      w(0) += 1.;
      v.segment(first, k) = w / std::sqrt(2. * w(0));
      eta(b)              = std::sqrt(root_s / root_p);
    }
  lambda_ = apply(p);
}

Vector CircularScaling::apply(const Vector &y) const
{
  Vector result(y.size());
  for (Index b = 0; b < Q.n_blocks(); ++b)
    {
      const Index  first = Q.begin[b], k = Q.size(b);
      const double product             = 2. * v.segment(first, k).dot(y.segment(first, k));
      result(first)                    = eta(b) * (product * v(first) - y(first));
      result.segment(first + 1, k - 1) = eta(b) * (product * v.segment(first + 1, k - 1) + y.segment(first + 1, k - 1));
    }
  return result;
}

Vector CircularScaling::apply_inverse(const Vector &y) const
{
  Vector result(y.size());
  for (Index b = 0; b < Q.n_blocks(); ++b)
    {
      const Index  first = Q.begin[b], k = Q.size(b);
      const auto   radial = v.segment(first + 1, k - 1), of_y = y.segment(first + 1, k - 1);
      const double product             = 2. * (v(first) * y(first) - radial.dot(of_y));
      result(first)                    = (product * v(first) - y(first)) / eta(b);
      result.segment(first + 1, k - 1) = (of_y - product * radial) / eta(b);
    }
  return result;
}

Eigen::MatrixXd CircularScaling::inverse_of_block(const Index b) const
{
  const Index first = Q.begin[b], k = Q.size(b);
  Vector      turned     = v.segment(first, k);
  turned.tail(k - 1)     = -turned.tail(k - 1);
  Eigen::MatrixXd result = 2. * turned * turned.transpose();
  result(0, 0) -= 1.;
  result.diagonal().tail(k - 1).array() += 1.;
  return result / eta(b);
}
} // namespace moreau::convex
