// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/flow/gate_pieces.h"

#include "convex/input_error.h"

#include <Eigen/Geometry>

#include <algorithm>
#include <array>
#include <cmath>

namespace moreau::macro
{
namespace
{
using Polygon = std::vector<Vector>; ///< in cells: the box is [0, n_0] x ...

constexpr double rounding = 1e-9; // of a cell

/// What of a polygon, a segment or a point has coordinates between low and high. What lies in a bound stays.
Polygon clipped(const Polygon &polygon, const int axis, const double low, const double high)
{
  Polygon result = polygon;
  for (const auto &[bound, sign] : {std::pair<double, double>(low, 1.), {high, -1.}})
    {
      const Polygon before = std::move(result);
      result               = {};
      const auto inside    = [&, bound = bound, sign = sign](const Vector &x) { return sign * (x(axis) - bound) >= 0.; };
      // a segment has one side, a polygon closes
      const std::size_t n = before.size(), n_sides = n == 2 ? 1 : n;
      if (n > 0 && n <= 2 && inside(before[0]))
        result.push_back(before[0]);
      for (std::size_t k = 0; k < n_sides && n > 1; ++k)
        {
          const Vector &x = before[k], &y = before[(k + 1) % n];
          if (n > 2 && inside(x))
            result.push_back(x);
          if (inside(x) != inside(y))
            {
              Vector at = x + (bound - x(axis)) / (y(axis) - x(axis)) * (y - x);
              at(axis)  = bound;
              result.push_back(at);
            }
          if (n == 2 && inside(y))
            result.push_back(y);
        }
    }
  return result;
}

/// Distance, or area, of a polygon in cells, with lengths in metres; and its middle.
double measure_of(const Polygon &polygon, const Vector &h, Vector &middle)
{
  middle = polygon.front();
  if (polygon.size() == 1)
    return 1.;
  if (polygon.size() == 2)
    {
      middle = .5 * (polygon[0] + polygon[1]);
      return (polygon[1] - polygon[0]).cwiseProduct(h).norm();
    }
  double area   = 0.;
  Vector moment = Vector::Zero(3);
  for (std::size_t k = 1; k + 1 < polygon.size(); ++k)
    {
      const Eigen::Vector3d a = (polygon[k] - polygon[0]).cwiseProduct(h), b = (polygon[k + 1] - polygon[0]).cwiseProduct(h);
      const double          part = .5 * a.cross(b).norm();
      area += part;
      moment += part / 3. * (polygon[0] + polygon[k] + polygon[k + 1]);
    }
  if (area > 0.)
    middle = moment / area;
  return area;
}

void cut(const Polygon &polygon, const int axis, const BoxGrid &grid, CellIndex cell, std::vector<GatePiece> &pieces)
{
  if (polygon.empty())
    return;
  if (axis >= std::min(grid.dim, 3)) // never more than three: the compiler does not know
    {
      GatePiece piece = {cell, {}, 0.};
      piece.measure   = measure_of(polygon, grid.h, piece.middle);
      for (int b = 0; b < grid.dim; ++b)
        piece.middle(b) = std::clamp(piece.middle(b) - static_cast<double>(cell[b]), 0., 1.);
      if (piece.measure > 0.)
        pieces.push_back(piece);
      return;
    }
  double low = polygon[0](axis), high = low;
  for (const Vector &x : polygon)
    {
      low  = std::min(low, x(axis));
      high = std::max(high, x(axis));
    }
  const Index begin = axis == grid.last_axis() ? grid.first : 0, end = axis == grid.last_axis() ? grid.last : grid.n[axis];
  if (low == high) // in a face: of the cell above
    {
      cell[axis] = std::min(static_cast<Index>(std::floor(low)), grid.n[axis] - 1);
      if (begin <= cell[axis] && cell[axis] < end)
        cut(polygon, axis + 1, grid, cell, pieces);
      return;
    }
  for (Index i = std::max(begin, static_cast<Index>(std::floor(low))); i < std::min<double>(end, std::ceil(high)); ++i)
    {
      cell[axis] = i;
      cut(clipped(polygon, axis, static_cast<double>(i), static_cast<double>(i + 1)), axis + 1, grid, cell, pieces);
    }
}

Vector in_cells(const Vector &x, const BoxGrid &grid)
{
  Vector result = (x - grid.lower).cwiseQuotient(grid.h);
  for (double &coordinate : result)
    if (std::abs(coordinate - std::round(coordinate)) < rounding)
      coordinate = std::round(coordinate);
  return result;
}
/// The images of a gate that may meet the box; the gate itself, where nothing repeats itself. Each begins in another box, so
/// that what lies in a side is met once.
std::vector<Polygon> images_of(Polygon polygon, const std::string &name, const BoxGrid &grid,
                               const std::array<bool, 3> &is_periodic)
{
  std::vector<Polygon> images = {std::move(polygon)};
  for (int axis = 0; axis < grid.dim; ++axis)
    if (is_periodic[axis])
      {
        const auto n       = static_cast<double>(grid.n[axis]);
        const auto less    = [axis](const Vector &x, const Vector &y) { return x(axis) < y(axis); };
        const auto [x, y]  = std::minmax_element(images[0].begin(), images[0].end(), less);
        const double begin = (*x)(axis), length = (*y)(axis)-begin, first = -n * std::floor(begin / n);
        if (!(length <= (1. + rounding) * n))
          throw InputError("the fluxes", "'" + name + "' is longer than the period along " + "xyz"[axis] +
                                             ", so that its repetitions overlap and count twice; make it shorter.");
        std::vector<Polygon> moved;
        for (const Polygon &image : images)
          for (const double way : {first, first - n})
            if (way == first || begin + length + way > 0.)
              {
                moved.push_back(image);
                for (Vector &corner : moved.back())
                  corner(axis) += way;
              }
        images = std::move(moved);
      }
  return images;
}
} // namespace

std::vector<Vector> plane_in_box(const BoxGrid &grid, const Vector &point, const Vector &normal)
{
  Vector extent(grid.dim);
  for (int axis = 0; axis < grid.dim; ++axis)
    extent(axis) = static_cast<double>(grid.n[axis]) * grid.h(axis);
  const Vector centre = grid.lower + .5 * extent, at = centre - normal.dot(centre - point) * normal;
  const double reach = extent.norm();
  Polygon      polygon;
  if (grid.dim == 1)
    polygon = {point};
  else if (grid.dim == 2)
    {
      const Eigen::Vector2d along(-normal(1), normal(0));
      polygon = {at - reach * along, at + reach * along};
    }
  else
    {
      const Eigen::Vector3d n = normal, other = std::abs(n(0)) < .7 ? Eigen::Vector3d::UnitX() : Eigen::Vector3d::UnitY();
      const Eigen::Vector3d s = n.cross(other).normalized(), t = n.cross(s);
      polygon = {at - reach * (s + t), at + reach * (s - t), at + reach * (s + t), at - reach * (s - t)};
    }
  // a plane along the axes stays exactly where it is
  for (int axis = 0; axis < grid.dim; ++axis)
    if (std::abs(normal(axis)) == 1.)
      for (Vector &x : polygon)
        x(axis) = point(axis);
  for (int axis = 0; axis < grid.dim; ++axis)
    polygon = clipped(polygon, axis, grid.lower(axis), grid.lower(axis) + extent(axis));
  return polygon;
}

std::vector<GatePiece> pieces_of(const FlowGate &gate, const BoxGrid &grid, const std::array<bool, 3> &is_periodic)
{
  Polygon polygon;
  for (const Vector &corner : gate.corners)
    polygon.push_back(in_cells(corner, grid));
  std::vector<GatePiece> pieces;
  if (polygon.empty())
    return pieces;
  for (Polygon image : images_of(std::move(polygon), gate.name, grid, is_periodic))
    {
      for (int axis = 0; axis < grid.dim; ++axis)
        image = clipped(image, axis, 0., static_cast<double>(grid.n[axis]));
      cut(image, 0, grid, {0, 0, 0}, pieces);
    }
  return pieces;
}
} // namespace moreau::macro
