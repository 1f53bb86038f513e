// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/directional/lattices/oblique_walls.h"

#include "macro/saturated_cells.h"

#include <Eigen/Geometry>
#include <Eigen/LU>

#include <algorithm>
#include <cmath>

namespace moreau::macro
{
namespace
{
using Polygon = std::vector<Vector>; // its vertices in order; two ends in the plane

/// A side of the box.
Polygon side_of_box(const Domain &domain, const int side)
{
  const auto dim  = static_cast<int>(domain.lower.size());
  const int  axis = side / 2, b = (axis + 1) % dim, c = (axis + 2) % dim;
  Vector     corner    = domain.lower;
  corner(axis)         = (side % 2 ? domain.upper : domain.lower)(axis);
  Polygon   polygon    = {corner};
  const int order[][2] = {{b, 1}, {c, 1}, {b, 0}};
  for (int k = 0; k < (dim == 2 ? 1 : 3); ++k)
    {
      corner(order[k][0]) = (order[k][1] ? domain.upper : domain.lower)(order[k][0]);
      polygon.push_back(corner);
    }
  return polygon;
}

/// What lies where f >= 0, f linear (Sutherland & Hodgman).
template <class Linear>
Polygon clipped(const Polygon &polygon, const Linear &f)
{
  Polygon result;
  for (std::size_t k = 0; k < polygon.size(); ++k)
    {
      const Vector &a = polygon[k], &b = polygon[(k + 1) % polygon.size()];
      const double  f_a = f(a), f_b = f(b);
      if (f_a >= 0.)
        result.push_back(a);
      if ((f_a >= 0.) != (f_b >= 0.))
        result.push_back(a + f_a / (f_a - f_b) * (b - a));
    }
  return result;
}

/// Half of what is run through twice in the plane.
double area(const Polygon &polygon)
{
  double sum = 0.;
  for (std::size_t k = 0; k < polygon.size(); ++k)
    {
      const Vector a = polygon[k] - polygon[0], b = polygon[(k + 1) % polygon.size()] - polygon[k];
      sum += a.size() == 2 ? .5 * b.norm() : .5 * Eigen::Vector3d(a).cross(Eigen::Vector3d(b)).norm();
    }
  return sum;
}

/// Points in equal parts of it, or nearly so.
Eigen::MatrixXd samples(const Polygon &polygon)
{
  constexpr int n = 32, of_triangle = 8;
  const auto    dim = polygon[0].size();
  if (dim == 2)
    {
      Vector end = polygon[0];
      for (const Vector &vertex : polygon)
        if ((vertex - polygon[0]).norm() > (end - polygon[0]).norm())
          end = vertex;
      Eigen::MatrixXd x(2, n);
      for (int k = 0; k < n; ++k)
        x.col(k) = polygon[0] + (k + .5) / n * (end - polygon[0]);
      return x;
    }
  std::vector<Vector> found;
  for (std::size_t k = 1; k + 1 < polygon.size(); ++k)
    for (int i = 0; i < of_triangle; ++i)
      for (int j = 0; i + j < of_triangle; ++j)
        found.push_back(polygon[0] + (i + 1. / 3.) / of_triangle * (polygon[k] - polygon[0]) +
                        (j + 1. / 3.) / of_triangle * (polygon[k + 1] - polygon[0]));
  Eigen::MatrixXd x(dim, found.size());
  for (std::size_t k = 0; k < found.size(); ++k)
    x.col(static_cast<Index>(k)) = found[k];
  return x;
}
} // namespace

Vector normal_of_side(const int side, const int dim) { return (side % 2 ? 1. : -1.) * Vector::Unit(dim, side / 2); }

double depth_below(const Domain &domain, const int side, const Vector &x)
{
  return side % 2 ? domain.upper(side / 2) - x(side / 2) : x(side / 2) - domain.lower(side / 2);
}

std::vector<WallPiece> wall_pieces(const Domain &domain, const Eigen::MatrixXd &corners, const Eigen::MatrixXd &S)
{
  constexpr double       least = 1e-9, inwards = 1e-7; // of a cell
  const auto             dim     = static_cast<int>(corners.rows());
  const Eigen::MatrixXd  inverse = S.inverse();
  const double           size = S.colwise().norm().maxCoeff(), diameter = S.cwiseAbs().rowwise().sum().norm();
  std::vector<WallPiece> pieces;
  for (int side = 0; side < 2 * dim; ++side)
    {
      if (!domain.walls[side])
        continue;
      const Polygon whole = side_of_box(domain, side);
      for (Index k = 0; k < corners.cols(); ++k)
        {
          const Vector corner = corners.col(k);
          if (std::abs(depth_below(domain, side, corner)) > diameter)
            continue;
          Polygon polygon = whole;
          for (int a = 0; a < dim; ++a)
            for (const double sign : {1., -1.})
              polygon = clipped(polygon, [&](const Vector &x) {
                const double xi = inverse.row(a).dot(x - corner);
                return sign > 0. ? xi : 1. - xi;
              });
          double of_cell = polygon.empty() ? 0. : area(polygon);
          if (of_cell <= least * std::pow(size, dim - 1))
            continue;
          if (!domain.uniform)
            {
              const Eigen::MatrixXd   x      = samples(polygon).colwise() - inwards * size * normal_of_side(side, dim);
              const std::vector<char> inside = saturated_at(domain, x);
              of_cell *= static_cast<double>(std::count(inside.begin(), inside.end(), 1)) / static_cast<double>(x.cols());
            }
          Vector middle = Vector::Zero(dim);
          for (const Vector &vertex : polygon)
            middle += vertex / static_cast<double>(polygon.size());
          if (of_cell > 0.)
            pieces.push_back({static_cast<int>(k), side, of_cell, middle});
        }
    }
  return pieces;
}
} // namespace moreau::macro
