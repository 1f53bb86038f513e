// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_TESTS_MACRO_CUT_ZONES_H
#define MOREAU_TESTS_MACRO_CUT_ZONES_H

#include "convex/velocity_space.h"
#include "geometry/quadrature.h"
#include "tests/macro/directional/lattice_forms.h"

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <boost/test/unit_test.hpp>

/// Zones that cut the cells of a lattice, and what is known of projections on them.
namespace moreau::macro
{
using Inside = std::function<bool(const Vector &x)>;

/// Saturated inside, half full elsewhere.
inline Setting in_zone(Setting setting, const Inside &inside)
{
  setting.domain.uniform = false;
  setting.domain.density = [inside](const Eigen::MatrixXd &x, Eigen::MatrixXd &density) {
    for (Index q = 0; q < x.cols(); ++q)
      density(0, q) = inside(x.col(q)) ? 1. : .5;
  };
  return setting;
}

/// On the box -1/2 < x_a < 1/2.
inline Setting centred(Setting setting)
{
  setting.domain.lower.setConstant(-.5);
  setting.domain.upper.setConstant(.5);
  return setting;
}

struct Projected
{
  std::unique_ptr<Discretization> mesh;
  convex::SaddlePoint             x;
  TotalBound                      bound;

  explicit Projected(const Setting &setting) : mesh(discretize(setting))
  {
    x = mesh->projector("automatic", {1e-8, 100000})->project(mesh->problem());
    BOOST_TEST(x.converged());
    bound = mesh->total_bound(x);
  }

  double energy() const { return .5 * mesh->problem().V->dot(x.u, x.u); }

  double volume() const { return dynamic_cast<const convex::DiagonalSpace &>(*mesh->problem().V).masses_of_nodes().sum(); }
};

/// A linear field Lx on the ellipse or ellipsoid xᵀMx <= 1: p_k = α_k (1 - xᵀMx) makes u linear, too, and α solves a small
/// linear complementarity problem.
struct OnEllipse
{
  Eigen::MatrixXd L, M, A; ///< u = Ax

  OnEllipse(const Eigen::MatrixXd &L, const Eigen::MatrixXd &M, const Eigen::MatrixXd &e) : L(L), M(M)
  {
    const Index     K = e.cols();
    Eigen::MatrixXd Q(K, K);
    Vector          b(K);
    for (Index j = 0; j < K; ++j)
      {
        b(j) = e.col(j).dot(L * e.col(j));
        for (Index k = 0; k < K; ++k)
          Q(j, k) = 2. * e.col(j).dot(e.col(k)) * e.col(k).dot(M * e.col(j));
      }
    for (int active = 0; active < 1 << K; ++active)
      {
        Eigen::MatrixXd matrix = Eigen::MatrixXd::Identity(K, K);
        Vector          right  = Vector::Zero(K);
        for (Index j = 0; j < K; ++j)
          if (active >> j & 1)
            {
              right(j) = -b(j);
              for (Index k = 0; k < K; ++k)
                matrix(j, k) = active >> k & 1 ? Q(j, k) : 0.;
            }
        const Vector alpha = matrix.fullPivLu().solve(right), rest = Q * alpha + b;
        if ((matrix * alpha - right).norm() <= 1e-9 && (alpha.array() >= -1e-12).all() && (rest.array() >= -1e-9).all())
          {
            A = L;
            for (Index k = 0; k < K; ++k)
              A += 2. * alpha(k) * e.col(k) * (M * e.col(k)).transpose();
            return;
          }
      }
    BOOST_FAIL("no solution of the complementarity problem");
  }

  bool   holds(const Vector &x) const { return x.dot(M * x) <= 1.; }
  double volume() const { return (M.rows() == 2 ? M_PI : 4. / 3. * M_PI) / std::sqrt(M.determinant()); }
  double energy() const { return .5 / (M.rows() + 2.) * volume() * (A.transpose() * A * M.inverse()).trace(); }
};

inline Setting on_ellipse(const OnEllipse &exact, const ConeType type, const double angle, const double n)
{
  return centred(in_zone(unit_cube(type, angle, n, [L = exact.L](const Vector &x) -> Vector { return L * x; }),
                         [exact](const Vector &x) { return exact.holds(x); }));
}

/// |v - u| over an ellipse, by points that lie closer to each other near its boundary.
inline double distance(const Field &v, const OnEllipse &exact)
{
  constexpr int         radii = 80, angles = 4000;
  const Eigen::Matrix2d to_zone = Eigen::Matrix2d(Eigen::Matrix2d(exact.M).llt().matrixU()).inverse();
  Eigen::MatrixXd       x(2, angles), values(2, angles);
  double                sum = 0.;
  for (int i = 0; i < radii; ++i)
    {
      const double s = 1. - (i + .5) / radii, r = 1. - s * s;
      for (int j = 0; j < angles; ++j)
        x.col(j) = r * to_zone * Eigen::Vector2d(std::cos(2. * M_PI * j / angles), std::sin(2. * M_PI * j / angles));
      v(x, values);
      sum += r * 2. * s / radii * 2. * M_PI / angles * (values - exact.A * x).squaredNorm();
    }
  return std::sqrt(sum * to_zone.determinant());
}

/// |v - u| over a zone in the box -1/2 < x_a < 1/2, by n points along each axis.
inline double distance(const Field &v, const Function &u, const Inside &inside, const int dim, const Index n)
{
  const Rule      rule = gauss_rule(2, dim, static_cast<int>(n / 2));
  Eigen::MatrixXd x    = (rule.points.array() - .5).matrix(), values(dim, x.cols());
  v(x, values);
  double sum = 0.;
  for (Index q = 0; q < x.cols(); ++q)
    if (inside(x.col(q)))
      sum += rule.weights(q) * (values.col(q) - u(x.col(q))).squaredNorm();
  return std::sqrt(sum);
}
} // namespace moreau::macro

#endif
