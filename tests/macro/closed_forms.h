// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_TESTS_MACRO_CLOSED_FORMS_H
#define MOREAU_TESTS_MACRO_CLOSED_FORMS_H

#include "macro/isotropic/box_certificate.h"
#include "geometry/quadrature.h"

#include <algorithm>
#include <cmath>
#include <functional>

/// Projections on the isotropic cone that are known.
namespace moreau::macro
{
/// f(x, v, dim) at every point.
template <class F>
Field at_points(F f)
{
  return [f](const Eigen::MatrixXd &x, Eigen::MatrixXd &values) {
    for (Index k = 0; k < x.cols(); ++k)
      f(x.col(k).data(), values.col(k).data(), x.rows());
  };
}

struct ClosedForm
{
  Field                                 U, u;
  std::function<double(const Vector &)> p;
};

/// U = u + ∇p.
inline ClosedForm closed_form(const std::function<void(const double *, double *, Index)> &u,
                              const std::function<void(const double *, double *, Index)> &gradient,
                              const std::function<double(const Vector &)>                &p)
{
  return {at_points([u, gradient](const double *const x, double *const v, const Index dim) {
            double g[3];
            u(x, v, dim);
            gradient(x, g, dim);
            for (Index a = 0; a < dim; ++a)
              v[a] += g[a];
          }),
          at_points(u), p};
}

inline double squared_distance_to_centre(const double *const x, const Index dim)
{
  double r2 = 0.;
  for (Index a = 0; a < dim; ++a)
    r2 += std::pow(x[a] - .5, 2);
  return r2;
}

/// Case I1 in any dimension, on the unit cube: contact inside r < r0, p =
/// ((r0² - r²)⁺)², a rotation, and an expansion outside.
inline ClosedForm smooth_free_boundary()
{
  constexpr double r02 = .09;
  return closed_form(
      [](const double *const x, double *const u, const Index dim) {
        const double expansion = std::max(squared_distance_to_centre(x, dim) - r02, 0.);
        for (Index a = 0; a < dim; ++a)
          u[a] = expansion * (x[a] - .5);
        if (dim > 1)
          {
            u[0] -= x[1] - .5;
            u[1] += x[0] - .5;
          }
      },
      [](const double *const x, double *const g, const Index dim) {
        const double depth = std::max(r02 - squared_distance_to_centre(x, dim), 0.);
        for (Index a = 0; a < dim; ++a)
          g[a] = -4. * depth * (x[a] - .5);
      },
      [](const Vector &x) { return std::pow(std::max(r02 - squared_distance_to_centre(x.data(), x.size()), 0.), 2); });
}

/// Case I4 on the unit square: -div U = 1 - r²/a², an obstacle problem with a disc of contact.
inline ClosedForm disc_of_contact()
{
  constexpr double a2 = .04, b2 = 2. * a2;
  const auto       gradient = [](const double *const x, double *const g, const Index dim) {
    const double r2 = squared_distance_to_centre(x, dim);
    for (Index a = 0; a < dim; ++a)
      g[a] = r2 < b2 ? (-.5 + r2 / (4. * a2)) * (x[a] - .5) : 0.;
  };
  const auto u = [gradient](const double *const x, double *const v, const Index dim) {
    const double r2 = squared_distance_to_centre(x, dim);
    gradient(x, v, dim);
    for (Index a = 0; a < dim; ++a)
      v[a] = (-.5 + r2 / (4. * a2)) * (x[a] - .5) - v[a];
  };
  return closed_form(u, gradient, [](const Vector &x) {
    const double r2 = squared_distance_to_centre(x.data(), x.size());
    return r2 < b2 ? (b2 - r2) / 4. - (b2 * b2 - r2 * r2) / (16. * a2) : 0.;
  });
}

/// |v - u| and |u_p - u| over (the part of) the zone where `inside` holds, by Gauss's rule with 5 points per direction.
struct TrueError
{
  double v = 0., u_p = 0.;
  double both() const { return std::hypot(v, u_p); }
};

inline TrueError true_error(const BoxZone &zone, const ClosedForm &exact, const ReconstructedVelocity &v,
                            const BoxPressure &p, const std::function<bool(const Vector &)> &inside = nullptr)
{
  const BoxGrid  &grid = zone.grid;
  const Rule      rule = gauss_rule(5, grid.dim);
  Eigen::MatrixXd x(grid.dim, rule.size()), U(grid.dim, rule.size()), u(grid.dim, rule.size()), v_h, gradient;
  Vector          ignored;
  TrueError       error;
  for_own_cells(grid, [&](const CellIndex &cell) {
    if (!zone(cell))
      return;
    for (Index q = 0; q < rule.size(); ++q)
      for (int axis = 0; axis < grid.dim; ++axis)
        x(axis, q) = grid.lower(axis) + (static_cast<double>(cell[axis]) + rule.points(axis, q)) * grid.h(axis);
    exact.U(x, U);
    exact.u(x, u);
    v.evaluate(cell, rule.points, v_h, ignored);
    p.evaluate(cell, rule.points, ignored, gradient);
    for (Index q = 0; q < rule.size(); ++q)
      if (!inside || inside(x.col(q)))
        {
          const double w = rule.weights(q) * grid.cell_volume();
          error.v += w * (v_h.col(q) - u.col(q)).squaredNorm();
          error.u_p += w * (U.col(q) - gradient.col(q) - u.col(q)).squaredNorm();
        }
  });
  return {std::sqrt(error.v), std::sqrt(error.u_p)};
}
} // namespace moreau::macro

#endif
