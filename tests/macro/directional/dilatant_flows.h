// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_TESTS_MACRO_DIRECTIONAL_DILATANT_FLOWS_H
#define MOREAU_TESTS_MACRO_DIRECTIONAL_DILATANT_FLOWS_H

#include "tests/macro/pictures.h"
#include "tests/macro/settings.h"

#include <functional>
#include <memory>

/// What tests of dilatant and of circular cones begin with.
namespace moreau::macro
{
using Function = std::function<Vector(const Vector &)>;

inline Field constant(const double s)
{
  return [s](const Eigen::MatrixXd &, Eigen::MatrixXd &values) { values.setConstant(s); };
}

inline Field by_points(const Function &f)
{
  return [f](const Eigen::MatrixXd &x, Eigen::MatrixXd &values) {
    for (Index k = 0; k < x.cols(); ++k)
      values.col(k) = f(x.col(k));
  };
}

/// BM, section 5.
inline Vector flow_of_BM(const Vector &x)
{
  return Eigen::Vector2d(-x(0) * x(0) - .5 * x(1), .5 * std::sin(4. * x(0)) - x(1));
}

struct Solution
{
  std::unique_ptr<Discretization> mesh;
  convex::SaddlePoint             x;
  TotalBound                      bound;

  explicit Solution(const Setting &setting)
      : mesh(discretize(setting)), x(mesh->projector("automatic", {})->project(mesh->problem())), bound(mesh->total_bound(x))
  {}

  double norm() const { return mesh->problem().V->norm(x.u); }
  double distance_to_U() const { return mesh->problem().V->norm(x.u - mesh->problem().U); }
};
} // namespace moreau::macro

#endif
