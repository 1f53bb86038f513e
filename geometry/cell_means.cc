// SPDX-License-Identifier: GPL-3.0-or-later
#include "geometry/cell_means.h"

#include "geometry/jumping_mean.h"
#include "geometry/processes.h"
#include "geometry/quadrature.h"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <vector>

namespace moreau::geometry
{
namespace
{
using Eigen::MatrixXd;

/// Means over an interval of a function with jumps. One object per thread.
class IntervalMeans
{
public:
  IntervalMeans(const Field &f, const double precision) : f(f), precision(precision), x(1, n_points) {}

  /// error() is then the estimated error.
  Vector operator()(const double left, const double right)
  {
    n_left = most_intervals;
    whole  = right - left;
    errors.resize(0);
    return halved(left, right, [&](const double a, const double b) {
      return halved(a, b, [&](const double c, const double d) { return refined(c, d); });
    });
  }

  const Vector &error() const { return errors; }

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
    if (errors.size() == 0)
      errors = Vector::Zero(values.rows());
    if ((values.colwise() - values.col(0)).isZero(0.))
      return values.col(0);
    const auto mean = [&](const int first, const int by) -> Vector {
      const auto value = [&](const int k) { return values.col(first + k * by); };
      return (7. * (value(0) + value(4)) + 32. * (value(1) + value(3)) + 12. * value(2)) / 90.;
    };
    const Vector coarse = mean(0, 2), fine = .5 * (mean(0, 1) + mean(4, 1));
    const Vector scale = values.cwiseAbs().rowwise().maxCoeff();
    if (((coarse - fine).cwiseAbs().array() <= agreement * scale.array()).all() || --n_left < 0)
      {
        errors += (right - left) / whole * (coarse - fine).cwiseAbs();
        return fine;
      }
    if (right - left <= precision)
      {
        errors += (right - left) / whole * (values.rowwise().maxCoeff() - values.rowwise().minCoeff());
        return values.col(n_points / 2); // so that a jump at the end of a cell leaves no trace in it
      }
    return halved(left, right, [&](const double a, const double b) { return refined(a, b); });
  }

  const Field &f;
  const double precision; ///< m: a jump may be off by so much
  MatrixXd     x, values;
  int          n_left = 0;
  double       whole  = 0.; ///< m
  Vector       errors;
};

struct Mean
{
  Vector value, error; ///< error: estimated
};

/// Means over cells of a line.
class LineCellMeans
{
public:
  LineCellMeans(const BoxGrid &grid, const Field &f) : grid(grid), of_interval(f, 1e-13 * grid.h(0)) {}

  Mean operator()(const CellIndex &cell)
  {
    const auto end = [&](const Index i) { return grid.lower(0) + static_cast<double>(i) * grid.h(0); };
    Mean       mean;
    mean.value = of_interval(end(cell[0]), end(cell[0] + 1));
    mean.error = of_interval.error();
    return mean;
  }

private:
  const BoxGrid &grid;
  IntervalMeans  of_interval;
};

/// Means over cells of a plane or of space. One object per thread.
class BoxCellMeans
{
public:
  BoxCellMeans(const BoxGrid &grid, const Field &f)
      : grid(grid)
      , f(f)
      , n_gauss(1 << grid.dim)
      , n_parts(grid.dim == 2 ? 8 : 4)
      , fine(gauss_rule(2, grid.dim, n_parts).points)
      , jumping(f, grid.dim)
  {
    const MatrixXd gauss = gauss_rule(2, grid.dim).points, corners = geometry::corners(grid.dim, hair());
    coarse.resize(grid.dim, gauss.cols() + corners.cols() + 1);
    coarse << gauss, corners, Vector::Constant(grid.dim, .5);
  }

  /// From a few points; false where the field is not nearly linear.
  bool from_few(const CellIndex &cell, Mean &mean)
  {
    evaluate(cell, coarse);
    if (!is_nearly_linear())
      return false;
    mean = mean_of_few();
    return true;
  }

  /// Where jumps are seen and about n_points points suffice for them; else false.
  bool from_jumps(const CellIndex &cell, const double n_points, const Vector &usual, Mean &mean)
  {
    const double tolerance = grid.dim == 2 ? 1e-10 : 1e-5, least_points = grid.dim == 2 ? 1000. : 3000.; // without parts
    if (n_points < least_points)
      return false;
    Vector lower(grid.dim);
    for (int axis = 0; axis < grid.dim; ++axis)
      lower(axis) = grid.lower(axis) + static_cast<double>(cell[axis]) * grid.h(axis);
    const JumpingMean::Result found = jumping(lower, lower + grid.h, {tolerance, static_cast<Index>(n_points), usual});
    if (!found.has_jump)
      return false;
    mean = {found.mean, found.error};
    return true;
  }

  Mean from_many(const CellIndex &cell)
  {
    evaluate(cell, coarse);
    const Vector of_few = mean_of_few().value;
    evaluate(cell, fine);
    Mean mean;
    mean.value = this->mean(fine.cols());
    // parts of a cell see a kink so many times better, or more
    mean.error = (mean.value - of_few).cwiseAbs() / (n_parts * n_parts);
    return mean;
  }

private:
  /// The same for all cells.
  double hair() const
  {
    double extent = 0.;
    for (int axis = 0; axis < grid.dim; ++axis)
      extent = std::max({extent, std::abs(grid.lower(axis)),
                         std::abs(grid.lower(axis) + static_cast<double>(grid.n[axis]) * grid.h(axis))});
    return hair_of(extent, grid.h.minCoeff());
  }

  void evaluate(const CellIndex &cell, const MatrixXd &xi)
  {
    x.resize(xi.rows(), xi.cols());
    for (Index k = 0; k < xi.cols(); ++k)
      for (int axis = 0; axis < grid.dim; ++axis)
        x(axis, k) = grid.lower(axis) + (static_cast<double>(cell[axis]) + xi(axis, k)) * grid.h(axis);
    f(x, values);
  }

  Vector mean_of_corners() const { return values.middleCols(n_gauss, values.cols() - n_gauss - 1).rowwise().mean(); }

  /// Whether three rules agree: points of Gauss, corners, centre.
  bool is_nearly_linear() const
  {
    constexpr double nearly  = 1e-3;
    const Vector     gauss   = values.leftCols(n_gauss).rowwise().mean();
    const Vector     largest = values.cwiseAbs().rowwise().maxCoeff();
    return ((gauss - mean_of_corners()).cwiseAbs().array() <= nearly * largest.array()).all() &&
           ((gauss - values.rightCols(1)).cwiseAbs().array() <= nearly * largest.array()).all();
  }

  /// By Gauss's rule; corners and centre make another one of degree 3, which says how good it is.
  Mean mean_of_few() const
  {
    Mean result;
    result.value = mean(n_gauss);
    result.error = (result.value - (mean_of_corners() + 2. * values.rightCols(1)) / 3.).cwiseAbs();
    return result;
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

  const BoxGrid &grid;
  const Field   &f;
  const Index    n_gauss;
  const int      n_parts; ///< of a cell along each axis
  const MatrixXd fine;
  MatrixXd       coarse, x, values;
  JumpingMean    jumping;
};

/// Calls look(means, cell) for these cells from several threads, with objects of the class Means; the exception of the first
/// cell that has one comes through.
template <class Means, class Look>
void for_cells(const BoxGrid &grid, const Field &f, const std::vector<CellIndex> &cells, const Look &look,
               const Progress &progress)
{
  constexpr Index                 n_block = 64;
  const Index                     n_cells = static_cast<Index>(cells.size()), n_blocks = (n_cells + n_block - 1) / n_block;
  std::vector<std::exception_ptr> failures(n_blocks);
  Steps                           steps(progress, n_blocks);
  tbb::parallel_for(tbb::blocked_range<Index>(0, n_blocks), [&](const tbb::blocked_range<Index> &blocks) {
    Means means(grid, f);
    for (Index block = blocks.begin(); block != blocks.end(); ++block)
      try
        {
          for (Index k = block * n_block; k < std::min(n_cells, (block + 1) * n_block); ++k)
            look(means, cells[k]);
          steps.done();
        }
      catch (...)
        {
          failures[block] = std::current_exception();
        }
  });
  for (const std::exception_ptr &failure : failures)
    if (failure)
      std::rethrow_exception(failure);
}

std::vector<CellIndex> own_cells(const BoxGrid &grid)
{
  std::vector<CellIndex> cells;
  for_own_cells(grid, [&](const CellIndex &cell) { cells.push_back(cell); });
  return cells;
}

/// The largest of each component in the centres of all cells.
Vector usual_values(const BoxGrid &grid, const Field &f)
{
  constexpr Index              in_batch = 4096;
  const std::vector<CellIndex> cells    = own_cells(grid);
  const Index                  n_cells  = static_cast<Index>(cells.size());
  Vector                       largest  = Vector::Zero(JumpingMean::most_components);
  together(grid.processes, [&] {
    for (Index first = 0; first < n_cells; first += in_batch)
      {
        MatrixXd x(grid.dim, std::min(in_batch, n_cells - first)), values;
        for (Index k = 0; k < x.cols(); ++k)
          x.col(k) = grid.centre(cells[first + k]);
        f(x, values);
        largest.head(values.rows()) = largest.head(values.rows()).cwiseMax(values.cwiseAbs().rowwise().maxCoeff());
      }
  });
  for (double &value : largest)
    value = grid.processes.max(value);
  return largest;
}

/// Of a plane or of space: where few points do not suffice, or may not suffice, more.
void for_rough_box_cells(const BoxGrid &grid, const Field &f, CellArray &is_rough, const UseOfRoughMean &use,
                         const Progress &progress)
{
  // an edge may enter a cell between the points, but then it comes from a cell beside it
  is_rough.update_ghosts();
  const auto is_beside_rough = [&](const CellIndex &cell) {
    for (Index k = cell[2] - (grid.dim > 2); k <= cell[2] + (grid.dim > 2); ++k)
      for (Index j = cell[1] - 1; j <= cell[1] + 1; ++j)
        for (Index i = cell[0] - 1; i <= cell[0] + 1; ++i)
          if (is_rough({i, j, k}) > 0.)
            return true;
    return false;
  };
  std::vector<CellIndex> due;
  Index                  n_rough = 0;
  for_own_cells(grid, [&](const CellIndex &cell) {
    if (is_beside_rough(cell)) // or is rough itself
      {
        due.push_back(cell);
        n_rough += is_rough(cell) > 0.;
      }
  });

  // what data take that are rough everywhere, a few seconds or as long as some steps
  const double most_points   = 2e7 + 100. * static_cast<double>(grid.n_cells());
  const double points_a_cell = most_points / static_cast<double>(std::max<Index>(1, grid.processes.sum(n_rough)));
  const Vector usual         = grid.processes.sum(n_rough) > 0 ? usual_values(grid, f) : Vector();
  together(grid.processes, [&] {
    for_cells<BoxCellMeans>(
        grid, f, due,
        [&](BoxCellMeans &means, const CellIndex &cell) {
          Mean       mean;
          const bool jumps = means.from_jumps(cell, points_a_cell, usual, mean);
          if (!jumps && is_rough(cell) > 0.)
            mean = means.from_many(cell);
          if (jumps || is_rough(cell) > 0.)
            use(cell, mean.value, mean.error, jumps);
        },
        progress);
  });
}

/// Edges are found by bisection wherever they lie.
void for_line_cells(const BoxGrid &grid, const Field &f, const std::vector<CellIndex> &cells, const UseOfMean &use,
                    const Progress &progress)
{
  together(grid.processes, [&] {
    for_cells<LineCellMeans>(
        grid, f, cells,
        [&](LineCellMeans &means, const CellIndex &cell) {
          const Mean mean = means(cell);
          use(cell, mean.value, mean.error);
        },
        progress);
  });
}
} // namespace

void for_cell_means(const BoxGrid &grid, const Field &f, const UseOfMean &use, const Progress &progress)
{
  if (grid.dim == 1)
    return for_line_cells(grid, f, own_cells(grid), use, progress);
  CellArray is_rough(grid);
  together(grid.processes, [&] {
    for_cells<BoxCellMeans>(
        grid, f, own_cells(grid),
        [&](BoxCellMeans &means, const CellIndex &cell) {
          if (Mean mean; means.from_few(cell, mean))
            use(cell, mean.value, mean.error);
          else
            is_rough(cell) = 1.;
        },
        progress.part(0., .5));
  });
  for_rough_box_cells(
      grid, f, is_rough,
      [&](const CellIndex &cell, const Vector &mean, const Vector &error, bool) { use(cell, mean, error); },
      progress.part(.5, 1.));
}

void for_rough_cell_means(const BoxGrid &grid, const Field &f, CellArray &is_rough, const UseOfRoughMean &use,
                          const Progress &progress)
{
  if (grid.dim > 1)
    return for_rough_box_cells(grid, f, is_rough, use, progress);
  std::vector<CellIndex> rough;
  for_own_cells(grid, [&](const CellIndex &cell) {
    if (is_rough(cell) > 0.)
      rough.push_back(cell);
  });
  for_line_cells(
      grid, f, rough, [&](const CellIndex &cell, const Vector &mean, const Vector &error) { use(cell, mean, error, true); },
      progress);
}
} // namespace moreau::geometry
