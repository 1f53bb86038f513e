// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/input/cell_means.h"

#include "geometry/quadrature.h"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <exception>
#include <vector>

namespace moreau::app
{
namespace
{
using geometry::CellIndex;
using geometry::Index;
using geometry::Vector;
using Eigen::MatrixXd;

/// Means over an interval of a function with jumps. One object per thread.
class IntervalMeans
{
public:
  IntervalMeans(const geometry::Field &f, const double precision) : f(f), precision(precision), x(1, n_points) {}

  Vector operator()(const double left, const double right)
  {
    n_left = most_intervals;
    return halved(left, right, [&](const double a, const double b) {
      return halved(a, b, [&](const double c, const double d) { return refined(c, d); });
    });
  }

private:
  /// The mean of what `mean` says of the two halves.
  template <class Mean>
  static Vector halved(const double left, const double right, Mean &&mean)
  {
    const double middle = .5 * (left + right);
    const Vector below = mean(left, middle), above = mean(middle, right);
    return .5 * (below + above);
  }

  static constexpr int n_points       = 9;    ///< both ends among them, so that a jump is seen wherever it lies
  static constexpr int most_intervals = 4000; ///< for functions that are rough everywhere

  /// By Boole's rule on the interval and on its halves.
  Vector refined(const double left, const double right)
  {
    constexpr double agreement = 1e-12; // relative
    for (int k = 0; k < n_points; ++k)
      x(0, k) = left + (right - left) * k / (n_points - 1);
    f(x, values);
    if ((values.colwise() - values.col(0)).isZero(0.))
      return values.col(0);
    const auto mean = [&](const int first, const int by) -> Vector {
      const auto value = [&](const int k) { return values.col(first + k * by); };
      return (7. * (value(0) + value(4)) + 32. * (value(1) + value(3)) + 12. * value(2)) / 90.;
    };
    const Vector coarse = mean(0, 2), fine = .5 * (mean(0, 1) + mean(4, 1));
    const Vector scale = values.cwiseAbs().rowwise().maxCoeff();
    if (((coarse - fine).cwiseAbs().array() <= agreement * scale.array()).all() || --n_left < 0)
      return fine;
    if (right - left <= precision)
      return values.col(n_points / 2); // so that a jump at the end of a cell leaves no trace in it
    return halved(left, right, [&](const double a, const double b) { return refined(a, b); });
  }

  const geometry::Field &f;
  const double           precision; ///< m: a jump may be off by so much
  MatrixXd               x, values;
  int                    n_left = 0;
};

/// Means over cells of a plane or of space. One object per thread.
class BoxCellMeans
{
public:
  BoxCellMeans(const geometry::BoxGrid &grid, const geometry::Field &f)
      : grid(grid), f(f), n_gauss(1 << grid.dim), fine(geometry::gauss_rule(2, grid.dim, grid.dim == 2 ? 8 : 4).points)
  {
    const MatrixXd gauss = geometry::gauss_rule(2, grid.dim).points, corners = geometry::corners(grid.dim, 1e-6);
    coarse.resize(grid.dim, gauss.cols() + corners.cols() + 1);
    coarse << gauss, corners, Vector::Constant(grid.dim, .5);
  }

  Vector operator()(const CellIndex &cell)
  {
    evaluate(cell, coarse);
    if (is_nearly_linear())
      return mean(n_gauss);
    evaluate(cell, fine);
    return mean(fine.cols());
  }

private:
  void evaluate(const CellIndex &cell, const MatrixXd &xi)
  {
    x.resize(xi.rows(), xi.cols());
    for (Index k = 0; k < xi.cols(); ++k)
      for (int axis = 0; axis < grid.dim; ++axis)
        x(axis, k) = grid.lower(axis) + (static_cast<double>(cell[axis]) + xi(axis, k)) * grid.h(axis);
    f(x, values);
  }

  /// Whether three rules agree: points of Gauss, corners, centre.
  bool is_nearly_linear() const
  {
    constexpr double nearly   = 1e-3;
    const Index      n_corner = values.cols() - n_gauss - 1;
    const Vector     gauss    = values.leftCols(n_gauss).rowwise().mean();
    const Vector     corners  = values.middleCols(n_gauss, n_corner).rowwise().mean();
    const Vector     largest  = values.cwiseAbs().rowwise().maxCoeff();
    return ((gauss - corners).cwiseAbs().array() <= nearly * largest.array()).all() &&
           ((gauss - values.rightCols(1)).cwiseAbs().array() <= nearly * largest.array()).all();
  }

  /// Over the first n points.
  Vector mean(const Index n) const
  {
    Vector result = values.leftCols(n).rowwise().sum() / static_cast<double>(n);
    for (Index c = 0; c < result.size(); ++c) // what is the same everywhere stays so to the last bit
      if ((values.row(c).head(n).array() == values(c, 0)).all())
        result(c) = values(c, 0);
    return result;
  }

  const geometry::BoxGrid &grid;
  const geometry::Field   &f;
  const Index              n_gauss;
  const MatrixXd           fine;
  MatrixXd                 coarse, x, values;
};

/// Means over cells of a line.
class LineCellMeans
{
public:
  LineCellMeans(const geometry::BoxGrid &grid, const geometry::Field &f) : grid(grid), of_interval(f, 1e-13 * grid.h(0)) {}

  Vector operator()(const CellIndex &cell)
  {
    const auto end = [&](const Index i) { return grid.lower(0) + static_cast<double>(i) * grid.h(0); };
    return of_interval(end(cell[0]), end(cell[0] + 1));
  }

private:
  const geometry::BoxGrid &grid;
  IntervalMeans            of_interval;
};

CellIndex own_cell(const geometry::BoxGrid &grid, Index k)
{
  CellIndex cell = {0, 0, 0};
  for (int axis = 0; axis < grid.dim; ++axis)
    {
      cell[axis] = k % grid.own(axis) + (axis == grid.last_axis() ? grid.first : 0);
      k /= grid.own(axis);
    }
  return cell;
}
} // namespace

void for_cell_means(const geometry::BoxGrid &grid, const geometry::Field &f,
                    const std::function<void(const CellIndex &, const Vector &)> &use)
{
  constexpr Index                 n_block = 64;
  const Index                     n_cells = grid.n_own_cells(), n_blocks = (n_cells + n_block - 1) / n_block;
  std::vector<std::exception_ptr> failures(n_blocks);
  const auto                      follow = [&](auto mean_of, const Index block) {
    try
      {
        for (Index k = block * n_block; k < std::min(n_cells, (block + 1) * n_block); ++k)
          {
            const CellIndex cell = own_cell(grid, k);
            use(cell, mean_of(cell));
          }
      }
    catch (...)
      {
        failures[block] = std::current_exception();
      }
  };
  tbb::parallel_for(tbb::blocked_range<Index>(0, n_blocks), [&](const tbb::blocked_range<Index> &blocks) {
    for (Index block = blocks.begin(); block != blocks.end(); ++block)
      if (grid.dim == 1)
        follow(LineCellMeans(grid, f), block);
      else
        follow(BoxCellMeans(grid, f), block);
  });
  for (const std::exception_ptr &failure : failures)
    if (failure)
      std::rethrow_exception(failure);
}
} // namespace moreau::app
