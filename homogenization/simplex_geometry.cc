// SPDX-License-Identifier: GPL-3.0-or-later
#include "homogenization/simplex_geometry.h"

#include <Eigen/Geometry>

#include <algorithm>
#include <cmath>

namespace moreau::homogenization
{
double signed_volume(const Eigen::Ref<const Eigen::MatrixXd> &corners)
{
  switch (corners.rows())
    {
      case 1:
        return corners(0, 1) - corners(0, 0);
      case 2:
        {
          const Eigen::Vector2d a = corners.col(1) - corners.col(0), b = corners.col(2) - corners.col(0);
          return .5 * (a(0) * b(1) - a(1) * b(0));
        }
      default:
        {
          const Eigen::Vector3d a = corners.col(1) - corners.col(0), b = corners.col(2) - corners.col(0),
                                c = corners.col(3) - corners.col(0);
          return a.dot(b.cross(c)) / 6.;
        }
    }
}

double circumscribed_diameter(const Eigen::Ref<const Eigen::MatrixXd> &corners)
{
  if (corners.rows() == 2)
    {
      const Eigen::Vector2d a = corners.col(1) - corners.col(0), b = corners.col(2) - corners.col(0);
      return a.norm() * b.norm() * (b - a).norm() / std::abs(a(0) * b(1) - a(1) * b(0));
    }
  const Eigen::Vector3d a = corners.col(1) - corners.col(0), b = corners.col(2) - corners.col(0),
                        c = corners.col(3) - corners.col(0);
  const Eigen::Vector3d x = a.squaredNorm() * b.cross(c) + b.squaredNorm() * c.cross(a) + c.squaredNorm() * a.cross(b);
  return x.norm() / std::abs(a.dot(b.cross(c)));
}

double total_volume(const Eigen::MatrixXd &corners)
{
  const Index n   = corners.rows() + 1;
  double      sum = 0.;
  for (Index k = 0; k < corners.cols(); k += n)
    sum += std::abs(signed_volume(corners.middleCols(k, n)));
  return sum;
}

void fan(const Eigen::Ref<const Eigen::MatrixXd> &outline, const int *first_face, const int *last_face,
         Eigen::MatrixXd &corners)
{
  const Index dim = outline.rows(), n = outline.cols();
  if (dim == 1)
    {
      corners = outline;
      return;
    }
  Index n_corners = 0;
  if (dim == 2)
    {
      corners.resize(2, 3 * std::max<Index>(n - 2, 0));
      for (Index k = 1; k + 1 < n; ++k)
        for (const Index vertex : {Index(0), k, k + 1})
          corners.col(n_corners++) = outline.col(vertex);
      return;
    }
  // faces around vertex 0 have no volume with it
  const auto triangles = [&](const auto &visit) {
    for (const int *face = first_face; face != last_face; face += *face + 1)
      if (const int *begin = face + 1, *end = begin + *face; std::find(begin, end, 0) == end)
        for (const int *b = begin + 1; b + 1 < end; ++b)
          visit(*begin, *b, *(b + 1));
  };
  triangles([&](int, int, int) { n_corners += 4; });
  corners.resize(3, n_corners);
  n_corners = 0;
  triangles([&](const int a, const int b, const int c) {
    for (const int vertex : {0, a, b, c})
      corners.col(n_corners++) = outline.col(vertex);
  });
}
} // namespace moreau::homogenization
