// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_TESTS_MACRO_DIRECTIONAL_ALIGNED_H
#define MOREAU_TESTS_MACRO_DIRECTIONAL_ALIGNED_H

#include "convex/solvers/make_projector.h"
#include "geometry/quadrature.h"
#include "tests/macro/directional/lattice_forms.h"
#include "tests/macro/pictures.h"

#include <boost/test/unit_test.hpp>

/// Projections on meshes along a lattice, U given by coordinates of the plane.
namespace moreau::macro::aligned
{
using Plane  = std::function<Eigen::Vector2d(double x, double y)>;
using Inside = std::function<bool(double x, double y)>;

inline Field field(const Plane &f)
{
  return [f](const Eigen::MatrixXd &x, Eigen::MatrixXd &values) {
    for (Index k = 0; k < x.cols(); ++k)
      values.col(k) = f(x(0, k), x(1, k));
  };
}

inline Setting setting(const ConeType type, const double angle, const double n, const Vector &lower, const Vector &upper)
{
  Setting result;
  result.domain.lower               = lower;
  result.domain.upper               = upper;
  result.domain.density             = [](const Eigen::MatrixXd &, Eigen::MatrixXd &density) { density.setOnes(); };
  result.cone.type                  = type;
  result.cone.lattice_angle         = angle;
  result.cone.directions            = lattice_directions(type, angle);
  result.cone.n_directions          = static_cast<int>(result.cone.directions.cols());
  result.mesh.cells_per_unit_length = n;
  return result;
}

inline Setting plane(const ConeType type, const double angle, const double n, const Eigen::Vector2d &upper, const Plane &U)
{
  Setting result = setting(type, angle, n, Eigen::Vector2d::Zero(), upper);
  result.U       = field(U);
  return result;
}

inline Setting restricted(Setting setting, const Inside &inside)
{
  setting.domain.uniform = false;
  setting.domain.density = [inside](const Eigen::MatrixXd &x, Eigen::MatrixXd &density) {
    for (Index k = 0; k < x.cols(); ++k)
      density(0, k) = inside(x(0, k), x(1, k)) ? 1. : 0.;
  };
  return setting;
}

/// The unit square sheared so that its sides are lines of the triangular lattice.
inline Setting parallelogram(const double n, const Plane &U)
{
  return restricted(plane(ConeType::triangular, 0., n, {1.5, .5 * root_3}, U),
                    [](const double x, const double y) { return x - y / root_3 >= 0. && x - y / root_3 <= 1.; });
}

struct Result
{
  std::unique_ptr<Discretization> discretization;
  convex::SaddlePoint             x;
  TotalBound                      bound;
  Mesh                            picture;
  int                             dim = 0;

  pictures::Columns points() const { return pictures::points(picture, dim); }
  pictures::Columns in_points(const std::string &name) const { return pictures::data(picture.point_data, name, dim); }
  pictures::Columns in_cells(const std::string &name) const { return pictures::data(picture.cell_data, name, dim); }
};

inline Result solve(const Setting &setting, const double tolerance = 1e-8, const std::string &solver = "automatic")
{
  Result result;
  result.discretization = macro::aligned_discretization(setting);
  convex::StoppingCriterion criterion;
  criterion.tolerance = tolerance;
  result.x            = result.discretization->projector(solver, criterion)->project(result.discretization->problem());
  BOOST_TEST(result.x.converged());
  result.bound   = result.discretization->total_bound(result.x);
  result.picture = result.discretization->fields(result.x, result.x.u, result.bound);
  result.dim     = static_cast<int>(setting.domain.lower.size());
  return result;
}

/// |v - u| for v linear on triangles: what the bound is about.
inline double error_on_triangles(const Result &result, const Plane &u)
{
  const Rule  square = gauss_rule(8, 2); // kinks of u inside triangles
  const auto  v = result.in_points("u"), points = result.points();
  const Mesh &mesh = result.picture;
  double      sum  = 0.;
  for (std::size_t c = 0; c < mesh.n_cells(); ++c)
    {
      Eigen::Matrix<double, 2, 3> x, values;
      for (int k = 0; k < 3; ++k)
        {
          x.col(k)      = points.col(mesh.connectivity[3 * c + k]);
          values.col(k) = v.col(mesh.connectivity[3 * c + k]);
        }
      const Eigen::Vector2d a = x.col(1) - x.col(0), b = x.col(2) - x.col(0);
      for (Index q = 0; q < square.size(); ++q)
        {
          const double          s = square.points(0, q), t = square.points(1, q) * (1. - s);
          const Eigen::Vector3d l(1. - s - t, s, t);
          const Eigen::Vector2d at = x * l;
          sum += square.weights(q) * (1. - s) * (a(0) * b(1) - a(1) * b(0)) * (values * l - u(at(0), at(1))).squaredNorm();
        }
    }
  return std::sqrt(sum);
}

/// |v - u| on the unit square of n x n cells for v linear between cell centres and constant beyond them.
inline double error_between_centres(const Result &result, const Index n, const Plane &u)
{
  const Rule rule = gauss_rule(10, 2);
  const auto v    = result.in_cells("u");
  const auto hat  = [n](const double x, Index &i) { // weight of cell i + 1
    const double s = std::min(std::max(static_cast<double>(n) * x - .5, 0.), static_cast<double>(n) - 1.);
    i              = std::min(static_cast<Index>(s), n - 2);
    return s - static_cast<double>(i);
  };
  double sum = 0.;
  for (Index c = 0; c < n * n; ++c)
    for (Index q = 0; q < rule.size(); ++q)
      {
        const double x          = (static_cast<double>(c % n) + rule.points(0, q)) / static_cast<double>(n),
                     y          = (static_cast<double>(c / n) + rule.points(1, q)) / static_cast<double>(n);
        Index                 i = 0, j = 0;
        const double          s = hat(x, i), t = hat(y, j);
        const Eigen::Vector2d at = (1. - t) * ((1. - s) * v.col(i + n * j) + s * v.col(i + 1 + n * j)) +
                                   t * ((1. - s) * v.col(i + n * (j + 1)) + s * v.col(i + 1 + n * (j + 1)));
        sum += rule.weights(q) / static_cast<double>(n * n) * (at - u(x, y)).squaredNorm();
      }
  return std::sqrt(sum);
}

inline Plane in_the_plane(const Function &f)
{
  return [f](const double x, const double y) -> Eigen::Vector2d { return f(vector(x, y)); };
}

inline Plane on_the_parallelogram(const Function &f)
{
  return [f](const double x, const double y) -> Eigen::Vector2d { return f(vector(x - y / root_3, y)); };
}

/// Smooth and compressing here, opening there.
inline Eigen::Vector2d waves(const double x, const double y)
{
  return {std::sin(7. * x + 3. * y), std::cos(5. * x * y) - std::sin(6. * y)};
}
} // namespace moreau::macro::aligned

#endif
