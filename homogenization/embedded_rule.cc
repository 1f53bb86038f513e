// SPDX-License-Identifier: GPL-3.0-or-later
#include "homogenization/embedded_rule.h"

#include "geometry/quadrature.h"

#include <Eigen/QR>

#include <algorithm>
#include <cmath>
#include <vector>

namespace moreau::homogenization
{
namespace
{
constexpr double inwards = 1e-6; ///< relative distance of points beside the corners from these

/// Points that permutations of barycentric coordinates turn into each other, with one weight.
struct Orbit
{
  std::vector<double> lambda; ///< ascending
  double              weight;
};

/// The last orbit is that of the corners, moved inwards.
std::vector<Orbit> orbits_of_degree_5(const int dim)
{
  if (dim == 1)
    {
      const double a = .5 - .5 * std::sqrt(.6);
      return {{{.5, .5}, 4. / 9.}, {{a, 1. - a}, 5. / 18.}, {{inwards, 1. - inwards}, 0.}};
    }
  if (dim == 2)
    {
      const double root = std::sqrt(15.), a = (6. - root) / 21., b = (6. + root) / 21.;
      return {{{1. / 3., 1. / 3., 1. / 3.}, 9. / 40.},
              {{a, a, 1. - 2. * a}, (155. - root) / 1200.},
              {{1. - 2. * b, b, b}, (155. + root) / 1200.},
              {{inwards, inwards, 1. - 2. * inwards}, 0.}};
    }
  const double a = .092735250310891226, b = .31088591926330061, c = .045503704125649649;
  return {{{a, a, a, 1. - 3. * a}, .073493043116361950},
          {{1. - 3. * b, b, b, b}, .11268792571801585},
          {{c, c, .5 - c, .5 - c}, .042546020777081466},
          {{inwards, inwards, inwards, 1. - 3. * inwards}, 0.}};
}

/// J is the length of what is orthogonal to the values of all quadratic polynomials.
EmbeddedRule rule_of(const Eigen::MatrixXd &points, const Eigen::VectorXd &weights, const double error_over_J,
                     const double volume)
{
  const Eigen::Index n = points.cols(), dim = points.rows() - 1, n_quadratic = (dim + 1) * (dim + 2) / 2;
  Eigen::MatrixXd    quadratic(n, n_quadratic); // products of two barycentric coordinates
  for (Eigen::Index a = 0, k = 0; a <= dim; ++a)
    for (Eigen::Index b = a; b <= dim; ++b)
      quadratic.col(k++) = points.row(a).cwiseProduct(points.row(b));
  const Eigen::MatrixXd Q = Eigen::HouseholderQR<Eigen::MatrixXd>(quadratic).householderQ();
  return {points, weights, error_over_J * Q.rightCols(n - n_quadratic), volume};
}
} // namespace

void EmbeddedRule::error_vectors(const Eigen::Ref<const Eigen::MatrixXd> &values, Eigen::Ref<Eigen::MatrixXd> errors) const
{
  errors.noalias() = values.lazyProduct(defect);
  const double n = static_cast<double>(size()), scale = defect.col(0).norm();
  for (Eigen::Index c = 0; c < values.rows(); ++c)
    {
      const double J = errors.row(c).norm() / scale;
      const double V = std::sqrt((values.row(c).array() - values.row(c).mean()).square().sum() / n);
      if (V > 2. * J)
        errors.row(c) *= 2. * J / V;
    }
}

EmbeddedRule simplex_rule(const int dim)
{
  std::vector<double> points, weights;
  for (const Orbit &orbit : orbits_of_degree_5(dim))
    {
      std::vector<double> lambda = orbit.lambda;
      do
        {
          points.insert(points.end(), lambda.begin(), lambda.end());
          weights.push_back(orbit.weight);
      } while (std::next_permutation(lambda.begin(), lambda.end()));
    }
  const Eigen::Index n = static_cast<Eigen::Index>(weights.size());
  // the mean size of the error over J at random hyperplanes (sampled)
  constexpr double error_over_J[] = {.307, .131, .070};
  return rule_of(Eigen::Map<const Eigen::MatrixXd>(points.data(), dim + 1, n),
                 Eigen::Map<const Eigen::VectorXd>(weights.data(), n), error_over_J[dim - 1], 1.);
}

EmbeddedRule parallelepiped_rule(const int dim)
{
  const geometry::Rule  gauss   = geometry::gauss_rule(3, dim);
  const Eigen::MatrixXd corners = geometry::corners(dim, inwards);
  const Eigen::Index    n       = gauss.size() + corners.cols();
  Eigen::MatrixXd       points(dim + 1, n);
  points.bottomRows(dim) << gauss.points, corners;
  points.row(0) = 1. - points.bottomRows(dim).colwise().sum().array();
  Eigen::VectorXd weights(n);
  weights << gauss.weights, Eigen::VectorXd::Zero(corners.cols());
  // covers the worst jump along a side, where the error is 1/8
  constexpr double error_over_J[] = {.36, .24};
  return rule_of(points, weights, error_over_J[dim - 2], dim == 2 ? 2. : 6.);
}
} // namespace moreau::homogenization
