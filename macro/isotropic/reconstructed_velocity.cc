// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/isotropic/box_certificate.h"
#include "convex/with_dimension.h"
#include "geometry/box_rows.h"
#include "geometry/quadrature.h"

#include <algorithm>
#include <cmath>

// On a cell with reference coordinates ξ in [0,1]^d and X = 2ξ - 1, for every axis a and the tangential axes b, c,
//
//     v_a = (1-ξ_a) L_a + ξ_a R_a + ξ_a(1-ξ_a) (k_a + l_ab X_b + l_ac
//     X_c),      L_a, R_a = mean + s_b X_b + s_c X_c + s_bc X_b X_c.
//
// The faces alone give div v = d + Σ_b E_b X_b + Σ G_a X_b X_c with d the divergence of the means. The terms that vanish
// on faces take G away and turn E into θD: D is the slope of d from cell to cell, θ <= 1 what keeps d + θ Σ D_b X_b >= 0.
namespace moreau::macro
{
namespace
{
constexpr int n_slopes(const int dim) { return dim == 1 ? 0 : dim == 2 ? 1 : 3; }

/// Axis of the m-th tangential direction of a face.
constexpr int tangent(const int axis, const int m) { return m < axis ? m : m + 1; }

/// v on one cell.
template <int dim>
struct CellVelocity
{
  double mean[dim][2], slope[dim][2][3], bubble[dim], bubble_slope[dim][2]; ///< tangential directions in increasing order
  double d, slope_of_d[dim];                                                ///< div v = d + Σ slope_of_d X
};

template <int dim>
void evaluate(const CellVelocity<dim> &cell, const double *const xi, double *const v, double &divergence)
{
  double X[dim];
  divergence = cell.d;
  for (int axis = 0; axis < dim; ++axis)
    {
      X[axis] = 2. * xi[axis] - 1.;
      divergence += cell.slope_of_d[axis] * X[axis];
    }
  for (int axis = 0; axis < dim; ++axis)
    {
      double face[2], bubble = cell.bubble[axis];
      for (int side = 0; side < 2; ++side)
        {
          const double *const s = cell.slope[axis][side];
          face[side]            = cell.mean[axis][side];
          if constexpr (dim == 2)
            face[side] += s[0] * X[1 - axis];
          if constexpr (dim == 3)
            face[side] += s[0] * X[tangent(axis, 0)] + (s[1] + s[2] * X[tangent(axis, 0)]) * X[tangent(axis, 1)];
        }
      if constexpr (dim == 3)
        bubble += cell.bubble_slope[axis][0] * X[tangent(axis, 0)] + cell.bubble_slope[axis][1] * X[tangent(axis, 1)];
      v[axis] = face[0] + xi[axis] * (face[1] - face[0] + (1. - xi[axis]) * bubble);
    }
}
} // namespace

/// Gauss points on the lower and on the upper faces of a cell, axis after axis, and what takes slopes from values there.
template <int dim>
struct FacePoints
{
  Vector                           weights; ///< of one face
  std::array<Eigen::MatrixXd, 2>   of_side; ///< dim x (dim n)
  std::array<Eigen::MatrixXd, dim> moment;  ///< n_slopes x n: legendre polynomials, normalised and weighted

  FacePoints()
  {
    for (int axis = 0; axis < dim; ++axis)
      {
        const Rule  rule = face_rule(2, dim, axis);
        const Index n    = rule.size();
        weights          = rule.weights;
        moment[axis].resize(n_slopes(dim), n);
        for (int side = 0; side < 2; ++side)
          {
            of_side[side].conservativeResize(dim, (axis + 1) * n);
            of_side[side].rightCols(n) = rule.points;
            of_side[side].row(axis).tail(n).setConstant(side);
          }
        for (Index q = 0; q < n; ++q)
          for (int m = 0; m < n_slopes(dim); ++m)
            {
              const auto X       = [&](const int k) { return 2. * rule.points(tangent(axis, k), q) - 1.; };
              moment[axis](m, q) = rule.weights(q) * (m == 2 ? 9. * X(0) * X(1) : 3. * X(m));
            }
      }
  }
};

struct ReconstructedVelocity::Coefficients
{
  BoxZone                   zone;
  FaceArrays                means;
  std::array<FaceArrays, 3> slopes; ///< of X_b, X_c, X_b X_c
  CellArray                 d;      ///< div of the means, with that of D x, 0 outside the zone

  Coefficients(const BoxZone &zone, const FaceArrays &means, const double mean_divergence)
      : zone(zone), means(means), d(zone.grid)
  {
    for (int m = 0; m < n_slopes(zone.grid.dim); ++m)
      slopes[m] = FaceArrays(zone.grid);
    for_own_rows(zone.grid, [&](Index, const Row &row) {
      const Index begin = d.position(row.begin);
      divergence(means, row, &d.values(begin));
      for (Index k = begin; k < begin + zone.grid.own(0); ++k)
        d.values(k) = zone.saturated[k] ? d.values(k) + mean_divergence : 0.;
    });
    update_ghosts(d, zone.periodic);
  }

  /// Slopes of (U - ∇p)·n on faces as their cells below see them, then as those above do.
  using SidedSlopes = std::array<std::array<FaceArrays, 3>, 2>;

  template <int dim>
  void set_slopes(const Field &U, const BoxPressure &p, const Progress &progress);
  template <int dim>
  void set_slopes(const Row &row, const Field &U, const BoxPressure &p, const FacePoints<dim> &points,
                  SidedSlopes &sided) const;
  void join(SidedSlopes &sided);
  void join_sides(int axis, FaceArrays &of_faces) const;

  template <int dim>
  CellVelocity<dim> on(const CellIndex &cell) const;
  template <int dim>
  void limit_slope_of_divergence(const CellIndex &cell, CellVelocity<dim> &v) const;
  template <int dim>
  void at(const Eigen::MatrixXd &x, Eigen::MatrixXd &v, std::vector<Index> &cells) const;
};

/// Of the faces of saturated cells: U or p may have a kink there.
template <int dim>
void ReconstructedVelocity::Coefficients::set_slopes(const Row &row, const Field &U, const BoxPressure &p,
                                                     const FacePoints<dim> &points, SidedSlopes &sided) const
{
  std::vector<CellIndex> cells;
  for (CellIndex cell = row.begin; cell[0] < row.end; ++cell[0])
    if (zone(cell))
      cells.push_back(cell);
  if (cells.empty())
    return;
  // U a little inside the cell
  const Index     n = points.weights.size(), n_cell = 2 * dim * n;
  Eigen::MatrixXd x(dim, n_cell * cells.size()), values(dim, x.cols()), gradient(dim, dim * n);
  Vector          ignored(dim * n);
  Index           column    = 0;
  const auto      has_other = [&](const CellIndex &cell, const int axis, const int side) {
    return zone(moved(cell, axis, side == 0 ? -1 : 1));
  };
  for (const CellIndex &cell : cells)
    for (const int side : {0, 1})
      for (int normal = 0; normal < dim; ++normal)
        {
          const double step = side == 0 ? 1e-10 : -1e-10;
          for (Index q = normal * n; q < (normal + 1) * n; ++q, ++column)
            for (int axis = 0; axis < dim; ++axis)
              x(axis, column) = zone.grid.lower(axis) + (static_cast<double>(cell[axis]) + points.of_side[side](axis, q) +
                                                         (axis == normal ? step : 0.)) *
                                                            zone.grid.h(axis);
        }
  U(x, values);
  column = 0;
  for (const CellIndex &cell : cells)
    for (const int side : {0, 1})
      {
        p.evaluate(cell, points.of_side[side], ignored, gradient);
        for (int axis = 0; axis < dim; ++axis, column += n)
          for (int m = 0; m < n_slopes(dim); ++m)
            {
              double slope = 0.;
              for (Index q = 0; q < n; ++q)
                slope += points.moment[axis](m, q) * (values(axis, column + q) - gradient(axis, axis * n + q));
              const double share                                = has_other(cell, axis, side) ? .5 : 1.;
              sided[1 - side][m](axis, moved(cell, axis, side)) = share * slope;
            }
      }
}

template <int dim>
void ReconstructedVelocity::Coefficients::set_slopes(const Field &U, const BoxPressure &p, const Progress &progress)
{
  const FacePoints<dim> points;
  SidedSlopes           sided;
  for (auto &slopes_of_side : sided)
    for (int m = 0; m < n_slopes(dim); ++m)
      slopes_of_side[m] = FaceArrays(zone.grid);
  for_own_rows(
      zone.grid, [&](Index, const Row &row) { set_slopes<dim>(row, U, p, points, sided); }, progress);
  join(sided);
  // on walls v·n keeps its sign
  for_wall_faces(zone, [&](const int axis, const CellIndex &face, double) {
    double size = 0.;
    for (int m = 0; m < n_slopes(dim); ++m)
      size += std::abs(slopes[m](axis, face));
    if (const double mean = std::abs(means(axis, face)); size > mean)
      for (int m = 0; m < n_slopes(dim); ++m)
        slopes[m](axis, face) *= mean / size;
  });
}

/// The means of both sides, of faces between processes and of those over which the box repeats itself too.
void ReconstructedVelocity::Coefficients::join(SidedSlopes &sided)
{
  const BoxGrid &grid = zone.grid;
  const int      last = grid.last_axis();
  const Index    n    = grid.n_own_cells() / grid.own(last);
  for (int m = 0; m < n_slopes(grid.dim); ++m)
    {
      if (grid.processes.size() > 1)
        {
          Vector &from_below = sided[0][m].values[last], &from_above = sided[1][m].values[last];
          Vector  lowest = from_below.head(n), highest = from_above.tail(n);
          grid.processes.exchange(from_above.head(n), from_below.tail(n), lowest, highest);
          from_below.head(n) = lowest;
          from_above.tail(n) = highest;
        }
      slopes[m] = sided[0][m];
      for (int axis = 0; axis < grid.dim; ++axis)
        slopes[m].values[axis] += sided[1][m].values[axis];
      for (int axis = 0; axis < grid.dim; ++axis)
        if (zone.periodic[axis])
          join_sides(axis, slopes[m]);
    }
}

void ReconstructedVelocity::Coefficients::join_sides(const int axis, FaceArrays &of_faces) const
{
  BoxGrid side = zone.grid;
  side.n[axis] = 1;
  if (axis == side.last_axis())
    side.last = 1;
  for_own_cells(side, [&](const CellIndex &lower) {
    const CellIndex upper = moved(lower, axis, zone.grid.n[axis]);
    of_faces(axis, lower) = of_faces(axis, upper) = of_faces(axis, lower) + of_faces(axis, upper);
  });
}

template <int dim>
void ReconstructedVelocity::Coefficients::limit_slope_of_divergence(const CellIndex &cell, CellVelocity<dim> &v) const
{
  double      sum = 0.;
  const Index c   = d.position(cell);
  for (int axis = 0; axis < dim; ++axis)
    {
      // X runs over 2 on a cell: from centre to centre as well
      const Index  step  = d.stride(axis);
      const double below = zone.saturated[c - step] ? d.values(c - step) : v.d,
                   above = zone.saturated[c + step] ? d.values(c + step) : v.d;
      const int n_pairs  = (zone.saturated[c - step] != 0) + (zone.saturated[c + step] != 0);
      v.slope_of_d[axis] = n_pairs == 0 ? 0. : (above - below) / (2. * n_pairs);
      sum += std::abs(v.slope_of_d[axis]);
    }
  const double theta = v.d <= 0. ? 0. : sum > v.d ? v.d / sum : 1.;
  for (double &slope : v.slope_of_d)
    slope *= theta;
}

template <int dim>
CellVelocity<dim> ReconstructedVelocity::Coefficients::on(const CellIndex &cell) const
{
  CellVelocity<dim> v;
  v.d = d(cell);
  for (int axis = 0; axis < dim; ++axis)
    {
      const Index lower = means.position(axis, cell), upper = means.position(axis, moved(cell, axis, 1));
      v.mean[axis][0] = means.values[axis](lower);
      v.mean[axis][1] = means.values[axis](upper);
      for (int m = 0; m < n_slopes(dim); ++m)
        {
          v.slope[axis][0][m] = slopes[m].values[axis](lower);
          v.slope[axis][1][m] = slopes[m].values[axis](upper);
        }
    }
  limit_slope_of_divergence(cell, v);
  const Vector &h = zone.grid.h;
  for (int axis = 0; axis < dim; ++axis)
    {
      v.bubble[axis]          = -h(axis) * v.slope_of_d[axis];
      v.bubble_slope[axis][0] = v.bubble_slope[axis][1] = 0.;
    }
  const auto jump = [&](const int axis, const int m) { return (v.slope[axis][1][m] - v.slope[axis][0][m]) / h(axis); };
  for (int axis = 0; axis < dim; ++axis)
    {
      for (int m = 0; m + 1 < dim; ++m)
        v.bubble[tangent(axis, m)] += h(tangent(axis, m)) * jump(axis, m);
      if constexpr (dim == 3)
        for (int m = 0; m < 2; ++m)
          {
            // half of X_b X_c is taken by v_b, half by v_c
            const int b = tangent(axis, m), c = tangent(axis, 1 - m);
            v.bubble_slope[b][tangent(b, 0) == c ? 0 : 1] += .5 * h(b) * jump(axis, 2);
          }
    }
  return v;
}

/// The polynomials of a cell are made once for points that follow each other in it.
template <int dim>
void ReconstructedVelocity::Coefficients::at(const Eigen::MatrixXd &x, Eigen::MatrixXd &v, std::vector<Index> &cells) const
{
  constexpr Index   none = -1;
  const BoxGrid    &grid = zone.grid;
  CellVelocity<dim> here;
  Index             known = none;
  for (Index k = 0; k < x.cols(); ++k)
    {
      CellIndex cell = {0, 0, 0};
      double    xi[dim], ignored;
      for (int axis = 0; axis < dim; ++axis)
        {
          const double t = (x(axis, k) - grid.lower(axis)) / grid.h(axis), last = static_cast<double>(grid.n[axis] - 1);
          cell[axis] = static_cast<Index>(std::min(std::max(0., t), last)); // in this order NaN becomes 0
          xi[axis]   = t - static_cast<double>(cell[axis]);
        }
      cells[k] = d.position(cell);
      if (!zone.saturated[cells[k]])
        continue;
      if (cells[k] != known)
        here = on<dim>(cell);
      known = cells[k];
      macro::evaluate(here, xi, v.data() + dim * k, ignored);
    }
}

ReconstructedVelocity::ReconstructedVelocity(const BoxZone &zone, const FaceArrays &face_means, const Field &U,
                                             const BoxPressure &p, const Progress &progress, const double mean_divergence)
    : coefficients(std::make_unique<Coefficients>(zone, face_means, mean_divergence))
{
  if (zone.grid.dim == 2)
    coefficients->set_slopes<2>(U, p, progress);
  if (zone.grid.dim == 3)
    coefficients->set_slopes<3>(U, p, progress);
}

ReconstructedVelocity::~ReconstructedVelocity() = default;

void ReconstructedVelocity::evaluate(const CellIndex &cell, const Eigen::MatrixXd &xi, Eigen::MatrixXd &v,
                                     Vector &divergence) const
{
  const auto fill = [&](const auto &on_cell) {
    v.resize(xi.rows(), xi.cols());
    divergence.resize(xi.cols());
    for (Index q = 0; q < xi.cols(); ++q)
      macro::evaluate(on_cell, xi.col(q).data(), v.col(q).data(), divergence(q));
  };
  convex::with_dimension(coefficients->zone.grid.dim, [&](const auto d) { fill(coefficients->on<d()>(cell)); });
}

void ReconstructedVelocity::at(const Eigen::MatrixXd &x, Eigen::MatrixXd &v, std::vector<Index> &cells) const
{
  convex::with_dimension(coefficients->zone.grid.dim, [&](const auto d) { coefficients->at<d()>(x, v, cells); });
}
} // namespace moreau::macro
