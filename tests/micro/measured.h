// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_TESTS_MICRO_MEASURED_H
#define MOREAU_TESTS_MICRO_MEASURED_H

#include "tests/micro/motion/motions.h"

/// Motions to measure, for the tests.
namespace moreau::micro
{
inline Vector vec(const std::initializer_list<double> &x)
{
  Vector result(x.size());
  std::copy(x.begin(), x.end(), result.begin());
  return result;
}

inline SphereSystem one_disc(const double x, const double y, const double u, const double v)
{
  SphereSystem system;
  system.spheres = {vec({x, y}), vec({.1}), vec({2.})};
  system.U       = vec({u, v});
  return system;
}

/// Columns of discs of radius R and mass m on a floor, between walls that they touch, in a square lattice.
inline SphereSystem standing_columns(const Index width, const Index height, const double R, const double m, const double g)
{
  SphereSystem system;
  const Index  n = width * height;
  system.spheres = {Eigen::MatrixXd(2, n), Vector::Constant(n, R), Vector::Constant(n, m)};
  system.U       = Vector::Zero(2 * n);
  for (Index i = 0; i < n; ++i)
    system.spheres.r.col(i) = R * vec({1. + 2. * (i % width), 1. + 2. * (i / width)});
  const double          right = 2. * R * width;
  std::vector<Obstacle> walls = {half_space("floor", vec({0., 0.}), vec({0., 1.})),
                                 half_space("left", vec({0., 0.}), vec({1., 0.})),
                                 half_space("right", vec({right, 0.}), vec({-1., 0.}))};
  system.obstacles            = Obstacles(walls, {RigidMotion()});
  system.force                = gravity(g);
  return system;
}
} // namespace moreau::micro

#endif
