// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/directional/saturated_means.h"

#include "geometry/cell_means.h"
#include "geometry/quadrature.h"
#include "macro/saturated_cells.h"

#include <algorithm>
#include <cmath>

namespace moreau::macro
{
namespace
{
constexpr Index cells_in_a_block = 1024; // whatever the number of threads

/// Cells of a turned grid and the matter in them, at points s of the grid (m).
class MatterOfCells
{
public:
  MatterOfCells(const Setting &setting, const BoxGrid &cells, const Eigen::MatrixXd &frame, const Vector &origin)
      : setting(setting), cells(cells), frame(frame), origin(origin), dim(setting.dim()), frame_speed(Vector::Zero(dim))
  {
    // the velocity of the centre of the box, so that a fast frame drowns nothing
    Eigen::MatrixXd U(dim, 1);
    setting.U(.5 * (setting.domain.lower + setting.domain.upper), U);
    frame_speed = U.col(0);
  }

  Index n_components() const { return 1 + dim + (setting.domain.uniform ? 0 : 1 + dim); }

  /// Rows: indicator of the zone, times U - frame_speed; where the density is not uniform, what is outside: ½ρ|U|², ρU.
  void operator()(const Eigen::MatrixXd &s, Eigen::MatrixXd &values) const
  {
    const Eigen::MatrixXd x       = in_the_box(s);
    const Vector          density = density_at(setting.domain, x);
    values.setZero(n_components(), s.cols());
    std::vector<Index> at; // points whose velocity counts
    at.reserve(s.cols());
    for (Index q = 0; q < s.cols(); ++q)
      if (is_saturated(density(q)) || (density(q) > 0. && is_in_box(x.col(q))))
        at.push_back(q);
    if (at.empty())
      return;
    const auto      n = static_cast<Index>(at.size());
    Eigen::MatrixXd U(dim, n);
    setting.U(n == x.cols() ? within_box(setting.domain, x) : within_box(setting.domain, x(Eigen::all, at)), U);
    for (Index k = 0; k < n; ++k)
      if (const Index q = at[k]; is_saturated(density(q)))
        {
          values(0, q)               = 1.;
          values.block(1, q, dim, 1) = U.col(k) - frame_speed;
        }
      else
        {
          values(1 + dim, q)               = .5 * density(q) * U.col(k).squaredNorm();
          values.block(2 + dim, q, dim, 1) = density(q) * U.col(k);
        }
  }

  /// The number of own cells in a layer across the last axis, and of the cells of all processes before the own ones.
  Index of_layer() const { return cells.n_own_cells() / cells.own(cells.last_axis()); }
  Index first_cell() const { return of_layer() * cells.first; }

  /// Sets what an own cell holds from the means of the components over it.
  void set(SaturatedMeans &means, Eigen::MatrixXd &outside, const Index cell, const Vector &mean) const
  {
    constexpr double rounding = 1e-12;
    const double     fraction = mean(0) > 1. - rounding ? 1. : mean(0) < rounding ? 0. : mean(0);
    means.fraction(cell)      = fraction;
    means.U.col(cell)         = Vector::Zero(dim);
    if (fraction > 0.)
      means.U.col(cell) = frame_speed + mean.segment(1, dim) / fraction;
    if (!setting.domain.uniform)
      outside.col(cell) = cells.cell_volume() * mean.tail(1 + dim);
  }

  Eigen::MatrixXd points(const Index first, const Index last, const Eigen::MatrixXd &xi) const
  {
    Eigen::MatrixXd s(dim, (last - first) * xi.cols());
    for (Index k = first; k < last; ++k)
      {
        const Index     cell  = k + first_cell();
        const CellIndex index = {cell % cells.n[0], cell / cells.n[0] % cells.n[1], cell / (cells.n[0] * cells.n[1])};
        for (Index q = 0; q < xi.cols(); ++q)
          for (int a = 0; a < dim; ++a)
            s(a, (k - first) * xi.cols() + q) = (static_cast<double>(index[a]) + xi(a, q)) * cells.h(a);
      }
    return s;
  }

  Eigen::MatrixXd in_the_box(const Eigen::MatrixXd &s) const { return (frame * s).colwise() + origin; }

  template <class Point>
  bool is_in_box(const Point &x) const
  {
    return (x.array() >= setting.domain.lower.array()).all() && (x.array() <= setting.domain.upper.array()).all();
  }

private:
  const Setting         &setting;
  const BoxGrid         &cells;
  const Eigen::MatrixXd &frame;
  const Vector          &origin;
  const Index            dim;
  Vector                 frame_speed;
};

/// Corners, centre and points in between: a little inside the cell, where rounding does not matter.
Eigen::MatrixXd points_that_tell(const int dim)
{
  const Eigen::MatrixXd corners = geometry::corners(dim, 1e-6), within = gauss_rule(2, dim).points;
  Eigen::MatrixXd       xi(dim, 1 + corners.cols() + within.cols());
  xi << Vector::Constant(dim, .5), corners, within;
  return xi;
}

/// Gauss's rule of 3 points per direction, and how far a field is from being linear on a cell.
struct GaussOfCell
{
  Rule   rule;
  Index  centre;
  Vector of_corners; ///< weights of the outermost points

  explicit GaussOfCell(const int dim) : rule(gauss_rule(3, dim)), of_corners(Vector::Zero(rule.size()))
  {
    for (Index q = 0; q < rule.size(); ++q)
      {
        const auto off = (rule.points.col(q).array() - .5).abs() > .1;
        if (off.all())
          of_corners(q) = 1.;
        if (!off.any())
          centre = q;
      }
    of_corners /= of_corners.sum();
  }

  Vector mean(const Eigen::Ref<const Eigen::MatrixXd> &values) const
  {
    Vector result = values * rule.weights;
    for (Index c = 0; c < result.size(); ++c) // what is the same everywhere stays so to the last bit
      if ((values.row(c).array() == values(c, 0)).all())
        result(c) = values(c, 0);
    return result;
  }

  double curvature(const Eigen::Ref<const Eigen::MatrixXd> &values, const Vector &mean) const
  {
    return std::max((mean - values.col(centre)).cwiseAbs().maxCoeff(), (mean - values * of_corners).cwiseAbs().maxCoeff());
  }
};
} // namespace

SaturatedMeans saturated_means(const Setting &setting, const BoxGrid &cells, const Eigen::MatrixXd &frame,
                               const Vector &origin, const Progress &progress)
{
  const MatterOfCells   matter(setting, cells, frame, origin);
  const GaussOfCell     gauss(cells.dim);
  const Eigen::MatrixXd tell = points_that_tell(cells.dim);
  const Index           n = cells.n_own_cells(), dim = cells.dim, n_blocks = (n + cells_in_a_block - 1) / cells_in_a_block;
  SaturatedMeans        means   = {Vector::Zero(n), Eigen::MatrixXd::Zero(dim, n), std::vector<char>(n, 0), Motion(dim)};
  Eigen::MatrixXd       outside = Eigen::MatrixXd::Zero(setting.domain.uniform ? 0 : 1 + dim, n); // energy, momentum
  Vector                curvature(n);
  std::vector<double>   speeds(n_blocks, 0.);
  std::vector<char>     is_cut(n, 0);
  const bool            may_cut  = !setting.domain.uniform || !frame.isIdentity(0.);
  const auto            in_block = [&](const Index first, const Index last) {
    std::vector<char> saturated;
    Eigen::MatrixXd   at_tell;
    if (may_cut)
      {
        at_tell   = matter.in_the_box(matter.points(first, last, tell));
        saturated = saturated_at(setting.domain, at_tell);
      }
    Eigen::MatrixXd values;
    matter(matter.points(first, last, gauss.rule.points), values);
    double &speed = speeds[first / cells_in_a_block];
    for (Index k = first; k < last; ++k)
      {
        const auto   of_cell = values.middleCols((k - first) * gauss.rule.size(), gauss.rule.size());
        const Vector mean    = gauss.mean(of_cell);
        matter.set(means, outside, k, mean);
        curvature(k) = gauss.curvature(of_cell.middleRows(1, dim), mean.segment(1, dim));
        speed        = std::max(speed, of_cell.middleRows(1, dim).cwiseAbs().maxCoeff());
        if (may_cut)
          {
            const char *const at       = saturated.data() + (k - first) * tell.cols();
            const Index       n_in     = std::count(at, at + tell.cols(), 1);
            Index             n_in_box = 0;
            for (Index q = 0; q < tell.cols(); ++q)
              n_in_box += matter.is_in_box(at_tell.col((k - first) * tell.cols() + q));
            const bool whole = n_in == tell.cols(), in_box = n_in_box == tell.cols();
            is_cut[k] =
                !whole && n_in != 0 || !in_box && n_in_box != 0 || mean(0) > 0. && mean(0) < 1. || whole != (mean(0) == 1.);
          }
      }
  };
  together(cells.processes, [&] { for_blocks(n, cells_in_a_block, in_block, progress.part(0., may_cut ? .6 : 1.)); });
  const double        nearly = 1e-3 * cells.processes.max(*std::max_element(speeds.begin(), speeds.end()));
  geometry::CellArray is_rough(cells);
  Index               k = 0;
  for_own_cells(cells, [&](const CellIndex &cell) {
    is_rough(cell) = is_cut[k] || curvature(k) > nearly;
    ++k;
  });
  std::vector<double> errors(n, 0.);
  const auto          position = [&](const CellIndex &cell) {
    return cell[0] + cells.n[0] * (cell[1] + cells.n[1] * cell[2]) - matter.first_cell();
  };
  geometry::for_rough_cell_means(
      cells, std::cref(matter), is_rough,
      [&](const CellIndex &cell, const Vector &mean, const Vector &error, const bool has_jump) {
        const Index at = position(cell);
        if (!has_jump && !is_cut[at])
          return; // smooth after all
        means.is_rough[at] = 1;
        matter.set(means, outside, at, mean);
        errors[at] = mean(0) < 1. ? error(0) * cells.cell_volume() : 0.;
      },
      progress.part(.6, 1.));
  Eigen::MatrixXd of_layers =
      Eigen::MatrixXd::Zero(3 + dim, cells.own(cells.last_axis())); // volume, error, energy, momentum
  for (Index cell = 0; cell < n; ++cell)
    {
      auto of_layer = of_layers.col(cell / matter.of_layer());
      of_layer(0) += means.fraction(cell) * cells.cell_volume();
      of_layer(1) += errors[cell];
      of_layer.tail(outside.rows()) += outside.col(cell);
    }
  const Vector sums = sum_of_columns(cells.processes, of_layers);
  means.error       = sums(1);
  if (setting.domain.uniform) // corners of the box may hide between points
    means.error = std::max(means.error, std::abs(sums(0) - (setting.domain.upper - setting.domain.lower).prod()));
  means.outside.energy   = sums(2);
  means.outside.momentum = sums.tail(dim);
  return means;
}
} // namespace moreau::macro
