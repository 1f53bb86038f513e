// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/isotropic/shape_function.h"
#include "convex/with_dimension.h"
#include "geometry/box_rows.h"
#include "geometry/quadrature.h"

#include <algorithm>
#include <cmath>

namespace moreau::macro
{
namespace
{
constexpr int max_neighbours = 27;

/// A cell on this side of the box, which has one.
bool at_side(const BoxGrid &grid, const CellIndex &cell, const int side)
{
  return cell[side / 2] == (side % 2 ? grid.n[side / 2] - 1 : 0);
}

/// Fills the cells beyond the box, edges and corners included, from the two next to them along an axis.
void continue_beyond_box(CellArray &array)
{
  const BoxGrid &grid = array.box_grid();
  array.update_ghosts();
  for_own_cells_and_beyond(grid, [&](const CellIndex &cell) {
    for (int axis = 0; axis < grid.dim; ++axis)
      {
        if (cell[axis] >= 0 && cell[axis] < grid.n[axis])
          continue;
        // towards the box along all axes along which the cell is beyond it
        CellIndex next = cell, after = cell;
        for (int a = 0; a < grid.dim; ++a)
          {
            const Index inwards = cell[a] < 0 ? 1 : cell[a] >= grid.n[a] ? -1 : 0;
            next[a] += inwards;
            after[a] += grid.n[a] > 1 ? 2 * inwards : inwards;
          }
        array(cell) = 2. * array(next) - array(after);
        break;
      }
  });
  array.update_ghosts();
}

/// Values and slopes of the three quadratic B-splines of a cell at t in [0,1].
struct LineBasis
{
  double value[3], slope[3];

  explicit LineBasis(const double t)
      : value{.5 * (1. - t) * (1. - t), .5 + t * (1. - t), .5 * t * t}, slope{t - 1., 1. - 2. * t, t}
  {}
};
} // namespace

Eigen::MatrixXd points_of(const BoxGrid &grid, const CellIndex &cell, const Eigen::MatrixXd &xi)
{
  Eigen::MatrixXd x(grid.dim, xi.cols());
  for (int axis = 0; axis < grid.dim; ++axis)
    x.row(axis) = grid.lower(axis) + (xi.row(axis).array() + static_cast<double>(cell[axis])) * grid.h(axis);
  return x;
}

std::vector<Index> neighbourhood(const CellArray &array)
{
  std::vector<Index> result = {0};
  for (int axis = 0; axis < array.box_grid().dim; ++axis)
    {
      std::vector<Index> wider;
      for (int to = -1; to <= 1; ++to)
        for (const Index at : result)
          wider.push_back(at + to * array.stride(axis));
      result = wider;
    }
  return result;
}

namespace
{
template <int dim>
void evaluate(const CellArray &coefficients, const CellIndex &cell, const Eigen::MatrixXd &xi, Vector &value,
              Eigen::MatrixXd &gradient)
{
  constexpr int n1 = dim > 1 ? 3 : 1, n2 = dim > 2 ? 3 : 1;
  const Index   s1 = dim > 1 ? coefficients.stride(1) : 0, s2 = dim > 2 ? coefficients.stride(2) : 0;
  double        net[max_neighbours];
  const Index   corner = coefficients.position(cell) - 1 - s1 - s2;
  for (int k = 0; k < n2; ++k)
    for (int j = 0; j < n1; ++j)
      for (int i = 0; i < 3; ++i)
        net[i + 3 * (j + 3 * k)] = coefficients.values(corner + i + j * s1 + k * s2);
  const Vector &h = coefficients.box_grid().h;
  for (Index q = 0; q < xi.cols(); ++q)
    {
      const LineBasis x(xi(0, q)), y(dim > 1 ? xi(1, q) : 0.), z(dim > 2 ? xi(2, q) : 0.);
      double          sum = 0., slope[3] = {0., 0., 0.};
      for (int k = 0; k < n2; ++k)
        {
          double layer = 0., layer_x = 0., layer_y = 0.;
          for (int j = 0; j < n1; ++j)
            {
              const double *const line = net + 3 * (j + 3 * k);
              const double        in_x = line[0] * x.value[0] + line[1] * x.value[1] + line[2] * x.value[2];
              const double        in_y = dim > 1 ? y.value[j] : 1.;
              layer += in_y * in_x;
              layer_x += in_y * (line[0] * x.slope[0] + line[1] * x.slope[1] + line[2] * x.slope[2]);
              layer_y += y.slope[j] * in_x;
            }
          const double in_z = dim > 2 ? z.value[k] : 1.;
          sum += in_z * layer;
          slope[0] += in_z * layer_x;
          slope[1] += in_z * layer_y;
          slope[2] += z.slope[k] * layer;
        }
      value(q) = sum;
      for (int axis = 0; axis < dim; ++axis)
        gradient(axis, q) = slope[axis] / h(axis);
    }
}
} // namespace

void evaluate_spline(const CellArray &coefficients, const CellIndex &cell, const Eigen::MatrixXd &xi, Vector &value,
                     Eigen::MatrixXd &gradient)
{
  value.resize(xi.cols());
  gradient.resize(xi.rows(), xi.cols());
  convex::with_dimension(coefficients.box_grid().dim,
                         [&](const auto d) { evaluate<d()>(coefficients, cell, xi, value, gradient); });
}

ShapeFunction::ShapeFunction(const Field &level, const BoxGrid &grid, const Sides &walls) : given(level), grid(grid)
{
  find_free_sides(walls);
  set_centres();
  set_depths();
  set_plateau();
  set_exact_layer();
  if (plateau > 0.)
    for (double &w : centres.values)
      {
        double slope;
        w = flattened(w, slope);
      }
}

/// 3t - 3t² + t³ of t = w / plateau, up to t = 1.
double ShapeFunction::flattened(const double w, double &slope) const
{
  const double rest = std::max(1. - w / plateau, 0.);
  slope             = 3. * rest * rest;
  return plateau * (1. - rest * rest * rest);
}

void ShapeFunction::level(const Eigen::MatrixXd &x, Vector &values) const
{
  Eigen::MatrixXd row(1, x.cols());
  given(x, row);
  values = row.row(0);
}

void ShapeFunction::find_free_sides(const Sides &walls)
{
  // a few points of every face on the sides; a zone that merely touches a side there has the level 0 up to round-off
  Vector values, centre;
  for (int side = 0; side < 2 * grid.dim; ++side)
    {
      Rule face = face_rule(3, grid.dim, side / 2);
      face.points.row(side / 2).setConstant(side % 2);
      double on_side = 0., inside = 0.;
      for_own_cells(grid, [&](const CellIndex &cell) {
        if (!at_side(grid, cell, side))
          return;
        level(points_of(grid, cell, face.points), values);
        level(grid.centre(cell), centre);
        on_side = std::max(on_side, values.maxCoeff());
        inside  = std::max(inside, std::abs(centre(0)));
      });
      on_side        = grid.processes.max(on_side);
      inside         = grid.processes.max(inside);
      vanishes[side] = !walls[side] && on_side > 1e-9 * inside;
    }
}

void ShapeFunction::product(const Eigen::MatrixXd &x, Vector &values) const
{
  level(x, values);
  for (int side = 0; side < 2 * grid.dim; ++side)
    if (vanishes[side])
      {
        const int    axis   = side / 2;
        const double length = grid.h(axis) * static_cast<double>(grid.n[axis]);
        const auto   lower  = ((x.row(axis).array() - grid.lower(axis)) / length).transpose();
        if (side % 2)
          values.array() *= 1. - lower;
        else
          values.array() *= lower;
      }
}

void ShapeFunction::set_centres()
{
  centres = CellArray(grid);
  for_own_rows(grid, [&](Index, const Row &row) {
    Eigen::MatrixXd x(grid.dim, row.end - row.begin[0]);
    Vector          values;
    CellIndex       cell = row.begin;
    for (; cell[0] < row.end; ++cell[0])
      x.col(cell[0] - row.begin[0]) = grid.centre(cell);
    product(x, values);
    for (cell[0] = row.begin[0]; cell[0] < row.end; ++cell[0])
      centres(cell) = values(cell[0] - row.begin[0]);
  });
  continue_beyond_box(centres);
}

void ShapeFunction::set_depths()
{
  depths = CellArray(grid);
  for_own_cells(grid, [&](const CellIndex &cell) {
    double      square = 0.;
    const Index c      = centres.position(cell);
    for (int axis = 0; axis < grid.dim; ++axis)
      {
        const Index  s     = centres.stride(axis);
        const double slope = .5 * (centres.values(c + s) - centres.values(c - s));
        square += slope * slope;
      }
    const double w = centres.values(c);
    // where w is level it is an extremum, far from the boundary
    depths(cell) = square > 1e-16 * w * w ? w / std::sqrt(square) : (w > 0. ? 1e8 : -1e8);
  });
  continue_beyond_box(depths);
}

/// A kink shows as a second difference that is not small against the slopes; the smooth levels' decrease with the mesh.
void ShapeFunction::set_plateau()
{
  double kink = 0., slope = 0., largest = 0.;
  for_own_cells(grid, [&](const CellIndex &cell) {
    const Index  c = centres.position(cell);
    const double w = centres.values(c);
    largest        = std::max(largest, w);
    for (int axis = 0; axis < grid.dim && w > 0.; ++axis)
      {
        const Index  s     = centres.stride(axis);
        const double above = centres.values(c + s) - w, below = w - centres.values(c - s);
        slope = std::max(slope, std::abs(above + below) / 2.);
        kink  = std::max(kink, std::abs(above - below));
      }
  });
  if (grid.processes.max(kink) > .35 * grid.processes.max(slope))
    plateau = .5 * grid.processes.max(largest);
}

/// Cells within two of those with |depth| < 3/2 (whose pressures decide how p
/// vanishes) have the exact w in their spline's support.
void ShapeFunction::set_exact_layer()
{
  around = neighbourhood(centres);
  weight = CellArray(grid);
  for_own_cells_and_beyond(grid, [&](const CellIndex &cell) { weight(cell) = depths(cell) < 1.5; });
  weight.update_ghosts();
  for (int pass = 0; pass < 2; ++pass)
    {
      CellArray wider = weight;
      for_own_cells(grid, [&](const CellIndex &cell) {
        for (const Index to : around)
          wider(cell) = std::max(wider(cell), weight.values(weight.position(cell) + to));
      });
      // beyond the box as in the cell next to it
      for_own_cells_and_beyond(grid, [&](const CellIndex &cell) {
        CellIndex next = cell;
        for (int axis = 0; axis < grid.dim; ++axis)
          next[axis] = std::clamp<Index>(cell[axis], 0, grid.n[axis] - 1);
        wider(cell) = std::max(wider(cell), wider(next));
      });
      weight = wider;
      weight.update_ghosts();
    }
  // the spline smooths by 1/8 of the second differences: taken off its coefficients
  smooth = CellArray(grid);
  for_own_cells(grid, [&](const CellIndex &cell) {
    const Index c      = centres.position(cell);
    double      second = 0.;
    for (int axis = 0; axis < grid.dim; ++axis)
      second += centres.values(c + centres.stride(axis)) - 2. * centres.values(c) + centres.values(c - centres.stride(axis));
    smooth(cell) = centres.values(c) - second / 8.;
  });
  continue_beyond_box(smooth);
}

void ShapeFunction::exact(const CellIndex &cell, const Eigen::MatrixXd &xi, Vector &w, Eigen::MatrixXd &gradient) const
{
  constexpr double step = .01; // of a cell
  const Index      n    = xi.cols();
  const int        dim  = grid.dim;
  Eigen::MatrixXd  all(dim, n * (4 * dim + 1));
  all.leftCols(n) = xi;
  for (int axis = 0; axis < dim; ++axis)
    for (int k = 0; k < 4; ++k)
      {
        auto block = all.middleCols(n * (1 + 4 * axis + k), n);
        block      = xi;
        block.row(axis).array() += step * (k < 2 ? k - 2 : k - 1);
      }
  Vector values;
  product(points_of(grid, cell, all), values);
  w = values.head(n);
  gradient.resize(dim, n);
  for (int axis = 0; axis < dim; ++axis)
    {
      const auto f       = [&](const int k) { return values.segment(n * (1 + 4 * axis + k), n).array(); };
      gradient.row(axis) = ((8. * (f(2) - f(1)) - (f(3) - f(0))) / (12. * step * grid.h(axis))).transpose();
    }
}

void ShapeFunction::evaluate(const CellIndex &cell, const Eigen::MatrixXd &xi, Vector &w, Eigen::MatrixXd &gradient) const
{
  bool any = false, all = true;
  for (const Index to : around)
    {
      const bool here = weight.values(weight.position(cell) + to) > 0.;
      any             = any || here;
      all             = all && here;
    }
  if (all)
    exact(cell, xi, w, gradient);
  else
    evaluate_spline(smooth, cell, xi, w, gradient);
  if (any && !all)
    {
      Vector          share, w_exact;
      Eigen::MatrixXd share_gradient, w_gradient;
      evaluate_spline(weight, cell, xi, share, share_gradient);
      exact(cell, xi, w_exact, w_gradient);
      const Vector difference = w_exact - w;
      gradient += (w_gradient - gradient) * share.asDiagonal() + share_gradient * difference.asDiagonal();
      w += share.cwiseProduct(difference);
    }
  if (plateau > 0.)
    for (Index q = 0; q < w.size(); ++q)
      {
        double slope;
        w(q) = flattened(w(q), slope);
        gradient.col(q) *= slope;
      }
}
} // namespace moreau::macro
