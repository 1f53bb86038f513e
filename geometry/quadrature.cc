// SPDX-License-Identifier: GPL-3.0-or-later
#include "geometry/quadrature.h"

#include <cmath>

namespace moreau::geometry
{
namespace
{
/// On [0,1]: the zeros x of Legendre's polynomial P_n by Newton's method, weights 1 / ((1 - x²) P_n'(x)²), in extended
/// precision: symmetric, and means of constants are exact as far as rounded weights allow.
Rule gauss_rule(const int n)
{
  using Extended = long double;
  Rule rule      = {Eigen::MatrixXd(1, n), Vector(n)};
  for (int g = 0; g < (n + 1) / 2; ++g)
    {
      Extended x = 2 * g + 1 == n ? 0.L : -std::cos((g + .75L) / (n + .5L) * std::acos(-1.L)), slope = 0.L;
      for (int step = 0; step < 8; ++step)
        {
          Extended P = 1.L, before = 0.L;
          for (int k = 1; k <= n; ++k)
            {
              const Extended next = ((2 * k - 1) * x * P - (k - 1) * before) / k;
              before              = P;
              P                   = next;
            }
          slope = n * (x * P - before) / (x * x - 1.L);
          if (2 * g + 1 != n)
            x -= P / slope;
        }
      rule.points(0, g)         = static_cast<double>(.5L + .5L * x);
      rule.points(0, n - 1 - g) = static_cast<double>(.5L - .5L * x);
      rule.weights(g) = rule.weights(n - 1 - g) = static_cast<double>(1.L / ((1.L - x * x) * slope * slope));
    }
  return rule;
}

Rule repeated(const Rule &line, const int n_parts)
{
  Rule rule = {line.points.replicate(1, n_parts), line.weights.replicate(n_parts, 1) / n_parts};
  for (int part = 0; part < n_parts; ++part)
    rule.points.middleCols(part * line.size(), line.size()).array() += part;
  rule.points /= n_parts;
  return rule;
}

/// The product of one-dimensional rules on all axes but `without`, where the coordinate is 0.
Rule product(const Rule &line, const int dim, const int without)
{
  Rule rule = {Eigen::MatrixXd::Zero(dim, 1), Vector::Ones(1)};
  for (int axis = 0; axis < dim; ++axis)
    if (axis != without)
      {
        Rule finer = {rule.points.replicate(1, line.size()), Vector(rule.size() * line.size())};
        for (Index g = 0; g < line.size(); ++g)
          {
            finer.points.row(axis).segment(g * rule.size(), rule.size()).setConstant(line.points(0, g));
            finer.weights.segment(g * rule.size(), rule.size()) = line.weights(g) * rule.weights;
          }
        rule = finer;
      }
  return rule;
}
} // namespace

Rule gauss_rule(const int n, const int dim, const int n_parts) { return product(repeated(gauss_rule(n), n_parts), dim, -1); }

Rule face_rule(const int n, const int dim, const int axis, const int n_parts)
{
  return product(repeated(gauss_rule(n), n_parts), dim, axis);
}

Eigen::MatrixXd corners(const int dim, const double inwards)
{
  Eigen::MatrixXd xi(dim, Index(1) << dim);
  for (Index corner = 0; corner < xi.cols(); ++corner)
    for (int axis = 0; axis < dim; ++axis)
      xi(axis, corner) = corner >> axis & 1 ? 1. - inwards : inwards;
  return xi;
}

Eigen::MatrixXd box_around(const Eigen::MatrixXd &points)
{
  const Vector    lower = points.rowwise().minCoeff(), upper = points.rowwise().maxCoeff();
  Eigen::MatrixXd x = corners(static_cast<int>(points.rows()), 0.);
  for (Index a = 0; a < points.rows(); ++a)
    x.row(a) = (lower(a) + (upper(a) - lower(a)) * x.row(a).array()).matrix();
  return x;
}

Vector mean_over(const double a, const double length, const std::function<Vector(double)> &f, const int n)
{
  const Rule rule = gauss_rule(n);
  Vector     mean = rule.weights(0) * f(a + rule.points(0, 0) * length);
  for (Index g = 1; g < rule.size(); ++g)
    mean += rule.weights(g) * f(a + rule.points(0, g) * length);
  return mean;
}
} // namespace moreau::geometry
