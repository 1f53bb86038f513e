// SPDX-License-Identifier: GPL-3.0-or-later
#include "geometry/quadrature.h"

#include <Eigen/Eigenvalues>

#include <cmath>

namespace moreau::geometry
{
namespace
{
/// On [0,1]: eigenvalues of the Jacobi matrix of Legendre's polynomials (Golub and Welsch).
Rule gauss_rule(const int n)
{
  Eigen::MatrixXd J = Eigen::MatrixXd::Zero(n, n);
  for (int k = 1; k < n; ++k)
    J(k, k - 1) = J(k - 1, k) = .5 * k / std::sqrt(4. * k * k - 1.);
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(J);
  Rule                                                 rule;
  rule.points  = (eigen.eigenvalues().array() + .5).matrix().transpose();
  rule.weights = eigen.eigenvectors().row(0).array().square();
  return rule;
}

/// The product of one-dimensional rules on all axes but `without`, where the coordinate is 0.
Rule product(const int n, const int dim, const int without)
{
  const Rule line = gauss_rule(n);
  Rule       rule = {Eigen::MatrixXd::Zero(dim, 1), Vector::Ones(1)};
  for (int axis = 0; axis < dim; ++axis)
    if (axis != without)
      {
        Rule finer = {rule.points.replicate(1, n), Vector(rule.size() * n)};
        for (int g = 0; g < n; ++g)
          {
            finer.points.row(axis).segment(g * rule.size(), rule.size()).setConstant(line.points(0, g));
            finer.weights.segment(g * rule.size(), rule.size()) = line.weights(g) * rule.weights;
          }
        rule = finer;
      }
  return rule;
}
} // namespace

Rule gauss_rule(const int n, const int dim) { return product(n, dim, -1); }

Rule face_rule(const int n, const int dim, const int axis) { return product(n, dim, axis); }
} // namespace moreau::geometry
