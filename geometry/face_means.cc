// SPDX-License-Identifier: GPL-3.0-or-later
#include "geometry/face_means.h"

#include "geometry/quadrature.h"

#include <array>

namespace moreau::geometry
{
namespace
{
/// Where a field is evaluated beside a face, in cells from it along its axis, and the weights.
struct PointsBesideFace
{
  std::array<double, 2> at, weight;
};

/// The mean of both sides, or the limit on the only one that counts; both a ten-billionth of a cell away.
PointsBesideFace beside_face(const bool below, const bool above)
{
  constexpr double step = 1e-10;
  if (below == above)
    return {{-step, step}, {.5, .5}};
  const double side = above ? step : -step;
  return {{side, 2. * side}, {2., -1.}};
}

/// By zone(cell): whether a cell of the box counts. periodic: axes whose sides are faces between two cells.
template <class Zone>
FaceArrays means_on_faces(const BoxGrid &grid, const Field &U, const int n_gauss, const Zone &zone,
                          const std::array<bool, 3> &periodic, const Progress &progress)
{
  Index n_rows = 0;
  for (int axis = 0; axis < grid.dim; ++axis)
    n_rows += (grid.own(1) + (axis == 1)) * (grid.own(2) + (axis == 2));
  Steps           rows(progress, n_rows);
  FaceArrays      result(grid);
  Eigen::MatrixXd x, value;
  for (int axis = 0; axis < grid.dim; ++axis)
    {
      // the rule on a face: positions in units of a cell, 0 along the axis
      const Rule  rule  = face_rule(n_gauss, grid.dim, axis);
      const Index n     = rule.size();
      const auto  sides = [&](const CellIndex &face) {
        const CellIndex below  = moved(face, axis, -1);
        const bool      begins = face[axis] == 0 && !periodic[axis], ends = face[axis] == grid.n[axis] && !periodic[axis];
        const bool      full_below = !begins && zone(below), full_above = !ends && zone(face);
        return full_below || full_above ? beside_face(full_below, full_above) : beside_face(!begins, !ends);
      };
      // a row of faces at a time
      const Index n_row = grid.own(0) + (axis == 0);
      x.resize(grid.dim, n_row * 2 * n);
      value.resize(grid.dim, n_row * 2 * n);
      CellIndex begin = {0, 0, 0}, end = grid.n;
      begin[grid.last_axis()] = grid.first;
      end[grid.last_axis()]   = grid.last;
      end[axis] += 1;
      CellIndex face = begin;
      for (face[2] = begin[2]; face[2] < end[2]; ++face[2])
        for (face[1] = begin[1]; face[1] < end[1]; ++face[1])
          {
            Index column = 0;
            for (face[0] = begin[0]; face[0] < begin[0] + n_row; ++face[0])
              for (const double step : sides(face).at)
                for (Index q = 0; q < n; ++q, ++column)
                  for (int a = 0; a < grid.dim; ++a)
                    x(a, column) = grid.lower(a) +
                                   (static_cast<double>(face[a]) + rule.points(a, q) + (a == axis ? step : 0.)) * grid.h(a);
            U(x, value);
            column = 0;
            for (face[0] = begin[0]; face[0] < begin[0] + n_row; ++face[0])
              {
                double mean = 0.;
                for (const double weight : sides(face).weight)
                  for (Index q = 0; q < n; ++q, ++column)
                    mean += weight * rule.weights(q) * value(axis, column);
                result(axis, face) = mean;
              }
            rows.done();
          }
    }
  return result;
}
} // namespace

FaceArrays face_means(const BoxZone &zone, const Field &U, const Progress &progress)
{
  return means_on_faces(zone.grid, U, 3, zone, zone.periodic, progress);
}

FaceArrays face_means(const BoxGrid &grid, const Field &U, const int n_gauss, const Progress &progress)
{
  return means_on_faces(
      grid, U, n_gauss, [](const CellIndex &) { return true; }, {}, progress);
}
} // namespace moreau::geometry
