// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_TESTS_MACRO_DIRECTIONAL_LATTICE_FORMS_H
#define MOREAU_TESTS_MACRO_DIRECTIONAL_LATTICE_FORMS_H

#include "tests/macro/settings.h"

#include <algorithm>
#include <cmath>
#include <functional>

/// Projections on directional cones that are known, as functions of one point.
namespace moreau::macro
{
using Function             = std::function<Vector(const Vector &x)>;
inline const double root_3 = std::sqrt(3.);

inline Field field(const Function &f)
{
  return [f](const Eigen::MatrixXd &x, Eigen::MatrixXd &values) {
    for (Index q = 0; q < x.cols(); ++q)
      values.col(q) = f(x.col(q));
  };
}

inline Vector vector(const double x, const double y) { return Eigen::Vector2d(x, y); }
inline Vector vector(const double x, const double y, const double z) { return Eigen::Vector3d(x, y, z); }

/// A projection on the unit cube, on the mesh along the lattice or (Alignment::box) on simplices.
inline Setting unit_cube(const ConeType type, const double angle, const double n, const Function &U,
                         const Alignment alignment = Alignment::lattice)
{
  const Eigen::MatrixXd directions = lattice_directions(type, angle);
  Setting               setting    = unit_cube(static_cast<int>(directions.rows()), field(U), n);
  setting.cone.type                = type;
  setting.cone.lattice_angle       = angle;
  setting.cone.directions          = directions;
  setting.cone.n_directions        = static_cast<int>(directions.cols());
  setting.mesh.alignment           = alignment;
  return setting;
}

inline double order(const double coarse, const double fine, const double refinement)
{
  return std::log(coarse / fine) / std::log(refinement);
}

// S1, T2 and T3: x (s - x) up to a(s), constant behind
inline double parabola(const double x, const double s) { return x * (s - x); }
inline double projected(const double x, const double s) { return parabola(std::min(x, .75 * s - .5), s); }
inline Vector S1_U(const Vector &x) { return vector(parabola(x(0), 1. + .5 * x(1)), 0.); }
inline Vector S1_u(const Vector &x) { return vector(projected(x(0), 1. + .5 * x(1)), 0.); }
inline Vector T2_U(const Vector &x) { return vector(parabola(x(0), 1.), 0.); }
inline Vector T2_u(const Vector &x) { return vector(projected(x(0), 1.), 0.); }
inline Vector T3_U(const Vector &x) { return vector(parabola(x(0), 1. + .5 * x(1)), x(1)); }
inline Vector T3_u(const Vector &x) { return vector(projected(x(0), 1. + .5 * x(1)), x(1)); }
} // namespace moreau::macro

#endif
