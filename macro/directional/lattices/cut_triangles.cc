// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/directional/lattices/cut_triangles.h"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <array>

namespace moreau::macro
{
namespace
{
using Barycentric = Eigen::Vector3d;
using Part        = std::array<Barycentric, 3>; // corners of a part of a triangle

/// The saturated part of one triangle T, as points and weights of a rule of degree 2.
class SaturatedTriangle
{
public:
  SaturatedTriangle(const Domain &domain, const Eigen::Matrix<double, 2, 3> &corners) : domain(domain), corners(corners)
  {
    divide({Barycentric::Unit(0), Barycentric::Unit(1), Barycentric::Unit(2)}, 0);
  }

  SimplexPart<2> of_T;

private:
  static constexpr int    least_depth = 2, most_depth = 6;
  static constexpr double straight = 1e-4, inwards = 1e-7; // of an edge of T

  std::vector<char> saturated(const std::vector<Barycentric> &at) const
  {
    Eigen::MatrixXd x(2, at.size());
    for (std::size_t k = 0; k < at.size(); ++k)
      x.col(static_cast<Index>(k)) = corners * at[k];
    return saturated_at(domain, x);
  }

  void divide(const Part &part, const int depth)
  {
    // a little inside of T, where rounding does not matter
    const Barycentric          centre = (part[0] + part[1] + part[2]) / 3.;
    std::array<Barycentric, 3> middle;
    std::vector<Barycentric>   at;
    for (int k = 0; k < 3; ++k)
      at.push_back(part[k] + inwards * (centre - part[k]));
    for (int k = 0; k < 3; ++k)
      {
        middle[k] = .5 * (part[k] + part[(k + 1) % 3]);
        at.push_back(middle[k] + inwards * (centre - middle[k]));
      }
    at.push_back(centre);
    const std::vector<char> in    = saturated(at);
    const auto              n_in  = std::count(in.begin(), in.end(), 1);
    const bool              alike = n_in == 0 || n_in == 7;
    if (alike && depth >= least_depth)
      {
        of_T.is_cut |= n_in == 0;
        if (n_in == 7)
          add({part[0], part[1], part[2]});
        return;
      }
    const bool last = depth == most_depth;
    if (!alike && clip(part, centre, in, last))
      return;
    if (last)
      {
        of_T.is_cut = true;
        of_T.error += std::pow(.25, depth);
        if (in[6])
          add({part[0], part[1], part[2]});
        return;
      }
    for (int k = 0; k < 3; ++k)
      divide({part[k], middle[k], middle[(k + 2) % 3]}, depth + 1);
    divide({middle[0], middle[1], middle[2]}, depth + 1);
  }

  /// Where the boundary runs straight from one edge of the part to another, adds what is saturated.
  bool clip(const Part &part, const Barycentric &centre, const std::vector<char> &in, const bool even_if_curved)
  {
    std::vector<Barycentric> polygon, ends;
    for (int k = 0; k < 3; ++k)
      {
        const int next = (k + 1) % 3;
        if (in[k])
          polygon.push_back(part[k]);
        if (in[k] == in[next])
          {
            if (in[3 + k] != in[k])
              return false;
            continue;
          }
        ends.push_back(end_between(part[k], part[next], centre, in[k]));
        polygon.push_back(ends.back());
      }
    if (ends.size() != 2)
      return false;
    const double sagitta = distance_from_chord(part, ends, in);
    if (sagitta > straight && !even_if_curved)
      return false;
    of_T.is_cut = true;
    of_T.error +=
        sagitta * (corners * (ends[1] - ends[0])).norm() / edge() * 1.6; // |T| = .43 edge²; two thirds of a sagitta
    add(polygon);
    return true;
  }

  double edge() const { return (corners.col(1) - corners.col(0)).norm(); }

  Barycentric end_between(Barycentric a, Barycentric b, const Barycentric &centre, const char of_a) const
  {
    for (int step = 0; step < 40; ++step)
      {
        const Barycentric middle                                               = .5 * (a + b);
        (saturated({middle + inwards * (centre - middle)})[0] == of_a ? a : b) = middle;
      }
    return .5 * (a + b);
  }

  /// How far the boundary is from the middle of its chord, in edges: 0 where it is nearer than `straight`, else 1.
  double distance_from_chord(const Part &part, const std::vector<Barycentric> &ends, const std::vector<char> &in) const
  {
    const Eigen::Vector2d a = corners * ends[0], b = corners * ends[1];
    Eigen::Vector2d       normal(a(1) - b(1), b(0) - a(0));
    if (normal.norm() < straight * edge())
      return 0.;
    normal.normalize();
    for (int k = 0; k < 3; ++k)
      if (in[k] != in[(k + 1) % 3] && in[k] != in[(k + 2) % 3]) // the corner that lies by itself
        normal *= (normal.dot(corners * part[k] - .5 * (a + b)) > 0.) == (in[k] == 1) ? 1. : -1.;
    Eigen::MatrixXd x(2, 2);
    double          off = straight / 64.;
    for (; off <= straight; off *= 4.)
      {
        x << .5 * (a + b) + off * edge() * normal, .5 * (a + b) - off * edge() * normal;
        const std::vector<char> beside = saturated_at(domain, x);
        if (beside[0] && !beside[1])
          return off < straight / 32. ? 0. : off;
      }
    return 1.;
  }

  /// A convex polygon.
  void add(const std::vector<Barycentric> &polygon)
  {
    const auto n = polygon.size();
    if (n == 3)
      return add_triangle(polygon[0], polygon[1], polygon[2]);
    Barycentric middle = Barycentric::Zero();
    for (const Barycentric &corner : polygon)
      middle += corner / static_cast<double>(n);
    for (std::size_t k = 0; k < n; ++k)
      add_triangle(middle, polygon[k], polygon[(k + 1) % n]);
  }

  void add_triangle(const Barycentric &a, const Barycentric &b, const Barycentric &c)
  {
    Eigen::Matrix3d columns;
    columns << a, b, c;
    const double      area   = std::abs(columns.determinant());
    const Barycentric centre = (a + b + c) / 3.;
    for (const Barycentric &corner : {a, b, c})
      {
        of_T.points.push_back(.5 * (centre + corner)); // (2/3, 1/6, 1/6)
        of_T.weights.push_back(area / 3.);
      }
  }

  const Domain                      &domain;
  const Eigen::Matrix<double, 2, 3> &corners;
};

/// Points in 256 equal parts of a triangle, for U that jumps.
void many_points(std::vector<Barycentric> &points, std::vector<double> &weights)
{
  constexpr int n = 16;
  points.clear();
  for (int i = 0; i < n; ++i)
    for (int j = 0; i + j < n; ++j)
      for (const double off : {1. / 3., 2. / 3.})
        if (const Barycentric at(1. - (i + j + 2. * off) / n, (i + off) / n, (j + off) / n); at(0) > 0.)
          points.push_back(at);
  weights.assign(points.size(), 1. / static_cast<double>(points.size()));
}
} // namespace

std::vector<CutTriangle> cut_triangles(const Setting &setting, const std::vector<Eigen::Matrix<double, 2, 3>> &corners)
{
  const auto               n = static_cast<Index>(corners.size());
  std::vector<CutTriangle> result(n);
  tbb::parallel_for(Index(0), n, [&](const Index k) {
    SaturatedTriangle triangle(setting.domain, corners[k]);
    if (!triangle.of_T.is_cut)
      many_points(triangle.of_T.points, triangle.of_T.weights);
    result[k] = measured<2>(setting, corners[k], triangle.of_T);
  });
  return result;
}
} // namespace moreau::macro
