// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_TESTS_MICRO_MOTION_MOTIONS_H
#define MOREAU_TESTS_MICRO_MOTION_MOTIONS_H

#include "micro/motion/sphere_motion.h"

#include <random>

/// Spheres in motion, for the tests.
namespace moreau::micro
{
inline Obstacle half_space(const std::string &name, const Vector &point, const Vector &normal, const int group = 0)
{
  Obstacle wall;
  wall.name  = name;
  wall.shape = Obstacle::Shape::half_space;
  wall.a     = point;
  wall.b     = normal;
  wall.group = group;
  return wall;
}

inline BodyForce gravity(const double g)
{
  return [g](double, const Eigen::MatrixXd &r, const Eigen::MatrixXd &, Eigen::MatrixXd &f) {
    f.setZero(r.rows(), r.cols());
    f.row(r.rows() - 1).setConstant(-g);
  };
}

/// Spheres on a line through 0 with equal radii.
inline SphereSystem row_of_spheres(const std::vector<double> &x, const std::vector<double> &u, const double R,
                                   const Index dim = 1)
{
  SphereSystem system;
  const Index  n = static_cast<Index>(x.size());
  system.spheres = {Eigen::MatrixXd::Zero(dim, n), Vector::Constant(n, R), Vector::Ones(n)};
  system.U       = Vector::Zero(dim * n);
  for (Index i = 0; i < n; ++i)
    {
      system.spheres.r(0, i) = x[i];
      system.U(dim * i)      = u[i];
    }
  return system;
}

/// side^d spheres of radii between .35 and .45 on a grid of spacing 1, shaken
/// a little, with random velocities up to `speed`.
inline SphereSystem gas(const Index dim, const int side, const double speed, const unsigned int seed)
{
  std::mt19937                           generator(seed);
  std::uniform_real_distribution<double> uniform(-1., 1.);
  SphereSystem                           system;
  Index                                  n = 1;
  for (Index k = 0; k < dim; ++k)
    n *= side;
  system.spheres = {Eigen::MatrixXd(dim, n), Vector(n), Vector(n)};
  system.U.resize(dim * n);
  for (Index i = 0; i < n; ++i)
    {
      for (Index k = 0, rest = i; k < dim; ++k, rest /= side)
        {
          system.spheres.r(k, i) = .5 + rest % side + .05 * uniform(generator);
          system.U(dim * i + k)  = speed * uniform(generator);
        }
      system.spheres.R(i) = .4 + .05 * uniform(generator);
      system.spheres.m(i) = 1. + .5 * uniform(generator);
    }
  return system;
}

/// Walls around [0, side]^d, at rest.
inline Obstacles box_of_walls(const Index dim, const double side)
{
  std::vector<Obstacle> walls;
  for (Index k = 0; k < dim; ++k)
    {
      walls.push_back(half_space("low " + std::to_string(k), Vector::Zero(dim), Vector::Unit(dim, k)));
      walls.push_back(half_space("high " + std::to_string(k), Vector::Constant(dim, side), -Vector::Unit(dim, k)));
    }
  return Obstacles(walls, {RigidMotion()});
}

/// Runs to time T in steps h.
inline void run(Motion &motion, const double h, const double T)
{
  const int n = static_cast<int>(std::lround(T / h));
  for (int k = 1; k <= n; ++k)
    motion.advance(k * h);
}

/// The deepest overlap of all pairs, looked at one by one (m), without periods and obstacles.
inline double deepest_overlap(const Spheres &spheres)
{
  double overlap = 0.;
  for (Index i = 0; i < spheres.size(); ++i)
    for (Index j = i + 1; j < spheres.size(); ++j)
      overlap = std::max(overlap, spheres.R(i) + spheres.R(j) - (spheres.r.col(i) - spheres.r.col(j)).norm());
  return overlap;
}
} // namespace moreau::micro

#endif
