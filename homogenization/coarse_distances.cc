// SPDX-License-Identifier: GPL-3.0-or-later
#include "homogenization/coarse_distances.h"

#include "convex/with_dimension.h"
#include "homogenization/refined_cell.h"
#include "homogenization/shared_columns.h"

#include <algorithm>
#include <cmath>

namespace moreau::homogenization
{
namespace
{
/// WindowPart of a simplex, dim x (dim + 1), without heap.
using WindowPart = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::ColMajor, 3, 4>;

/// The planes between windows.
struct WindowPlane
{
  Index  axis;
  double at;
};

constexpr int periods_around = 2; ///< of a box that repeats itself, in which its cells lie

std::vector<WindowPlane> planes_between(const macro::Domain &domain, const std::vector<int> &windows)
{
  std::vector<WindowPlane> planes;
  for (Index axis = 0; axis < domain.lower.size(); ++axis)
    {
      std::vector<double> fractions;
      for (const int k : windows)
        for (int j = 1; j < k; ++j)
          fractions.push_back(static_cast<double>(j) / k);
      std::sort(fractions.begin(), fractions.end());
      fractions.erase(std::unique(fractions.begin(), fractions.end()), fractions.end());
      const double length  = domain.upper(axis) - domain.lower(axis);
      const int    periods = domain.periodic[axis] ? periods_around : 0;
      if (periods > 0)
        fractions.insert(fractions.begin(), 0.);
      for (int period = -periods; period <= periods; ++period)
        for (const double fraction : fractions)
          planes.push_back({axis, domain.lower(axis) + (period + fraction) * length});
    }
  return planes;
}

/// Appends the parts of a simplex between the planes, from number `first` on: an edge that crosses a plane is cut there, and
/// of the two parts fewer edges cross it.
void cut_by(const WindowPart &simplex, const std::vector<WindowPlane> &planes, const std::size_t first,
            std::vector<WindowPart> &parts)
{
  for (std::size_t p = first; p < planes.size(); ++p)
    for (Index i = 0; i < simplex.cols(); ++i)
      for (Index j = i + 1; j < simplex.cols(); ++j)
        {
          const double a = simplex(planes[p].axis, i) - planes[p].at, b = simplex(planes[p].axis, j) - planes[p].at;
          if (!(a * b < 0.))
            continue;
          WindowPart lower = simplex, upper = simplex;
          lower.col(j)             = simplex.col(i) + a / (a - b) * (simplex.col(j) - simplex.col(i));
          lower(planes[p].axis, j) = planes[p].at;
          upper.col(i)             = lower.col(j);
          cut_by(lower, planes, p, parts);
          cut_by(upper, planes, p, parts);
          return;
        }
  parts.push_back(simplex);
}

/// Number of the window of k^d that a point lies in.
Index window_of(const Vector &x, const macro::Domain &domain, const int k)
{
  Index number = 0;
  for (Index axis = x.size() - 1; axis >= 0; --axis)
    {
      double position = (x(axis) - domain.lower(axis)) / (domain.upper(axis) - domain.lower(axis));
      if (domain.periodic[axis])
        position -= std::floor(position);
      position *= k;
      number = k * number + std::clamp<Index>(static_cast<Index>(position), 0, k - 1);
    }
  return number;
}

/// ∫(v - u) and volumes of all windows of one k.
struct Sums
{
  Eigen::MatrixXd integrals; ///< dim * n_functions x windows
  Vector          volumes;

  Sums(const Index n_components, const Index n_windows)
      : integrals(Eigen::MatrixXd::Zero(n_components, n_windows)), volumes(Vector::Zero(n_windows))
  {}
};

constexpr double tolerance  = 1e-5; ///< of the mean over a part of a cell, relative to the largest velocity
constexpr int    max_depth  = 8;    ///< halvings of a diameter
constexpr double all_points = 4e6;  ///< that bisection may add, of all cells

/// ∫ of functions over parts of cells, by the rule or, where that is not exact enough, by bisection.
template <int dim>
class PartIntegrals
{
public:
  /// scale: a speed below which errors are measured by it; points: that each cell may take more.
  PartIntegrals(const std::vector<geometry::Field> &functions, const double scale, const double points)
      : scale(scale)
      , points(points)
      , all([&functions](Index, const Eigen::MatrixXd &x, Eigen::MatrixXd &values) {
        Eigen::MatrixXd u(dim, x.cols());
        for (std::size_t f = 0; f < functions.size(); ++f)
          {
            functions[f](x, u);
            values.middleRows(dim * static_cast<Index>(f), dim) = u;
          }
      })
      , n_components(dim * static_cast<Index>(functions.size()))
  {}

  /// take(part, ∫ of all components, volume) for parts of one cell.
  template <class Take>
  void of_cell(const Index cell, const std::vector<WindowPart> &parts, const Take &take) const
  {
    SimplexIntegrals<dim> simplices(simplex_rule(dim), all, n_components), finer = simplices;
    const auto            n_parts = static_cast<Index>(parts.size());
    Eigen::MatrixXd       corners(dim, (dim + 1) * n_parts);
    for (Index part = 0; part < n_parts; ++part)
      corners.template middleCols<dim + 1>((dim + 1) * part) = parts[part];
    simplices.evaluate(cell, corners);
    const double speed = std::max(scale, simplices.largest_values().maxCoeff());
    const Vector small = Vector::Constant(n_components, tolerance * speed);
    for (Index part = 0; part < n_parts; ++part)
      {
        const double volume   = std::abs(signed_volume(parts[part]));
        const Vector error    = 2. * M_SQRT2 * simplices.error(part).rowwise().norm();
        Vector       integral = simplices.integral(part);
        if (volume > 0. && (error.array() > volume * small.array()).any())
          {
            RefinedCell<dim> refined(cell, parts[part], volume * small, finer);
            refined.refine(dim * max_depth, static_cast<Index>(points / static_cast<double>(n_parts)));
            integral = refined.integral();
          }
        take(part, integral, volume);
      }
  }

private:
  double        scale, points;
  CellIntegrand all;
  Index         n_components;
};

template <int dim>
Eigen::MatrixXd on_windows(const VoronoiCells &cells, const macro::Domain &domain, const Vector &v,
                           const std::vector<geometry::Field> &functions, const std::vector<int> &windows)
{
  constexpr Index at_a_time = 256, blocks_of_a_sum = 16; // so that results do not depend on the number of threads, processes
  const auto      n_functions           = static_cast<Index>(functions.size());
  const std::vector<WindowPlane> planes = planes_between(domain, windows);
  std::vector<Sums>              none;
  for (const int k : windows)
    none.emplace_back(dim * n_functions, static_cast<Index>(std::lround(std::pow(k, dim))));

  constexpr double         least_points = 100.;
  const double             speed        = cells.max(v.size() > 0 ? v.cwiseAbs().maxCoeff() : 0.);
  const double             n_cells      = static_cast<double>(std::max<Index>(1, cells.count(cells.size())));
  const PartIntegrals<dim> integrals(functions, speed, std::max(least_points, all_points / n_cells));

  const Index                    n_blocks = (cells.size() + at_a_time - 1) / at_a_time;
  std::vector<std::vector<Sums>> of_block(n_blocks, none);
  const Share                    share(cells.processes(), n_blocks, cells.in_parts());
  share.for_each([&](const Index block) {
    std::vector<WindowPart> parts;
    Eigen::MatrixXd         corners;
    for (Index cell = block * at_a_time; cell < std::min(cells.size(), (block + 1) * at_a_time); ++cell)
      {
        parts.clear();
        cells.simplices(cell, corners);
        for (Index first = 0; first < corners.cols(); first += dim + 1)
          cut_by(corners.middleCols(first, dim + 1), planes, 0, parts);
        integrals.of_cell(cell, parts, [&](const Index part, const Vector &integral, const double volume) {
          const Vector difference = volume * v.segment(dim * cell, dim).replicate(n_functions, 1) - integral;
          for (std::size_t k = 0; k < windows.size(); ++k)
            {
              Sums       &sums   = of_block[block][k];
              const Index window = window_of(parts[part].rowwise().mean(), domain, windows[k]);
              sums.integrals.col(window) += difference;
              sums.volumes(window) += volume;
            }
        });
      }
  });

  Eigen::MatrixXd result(static_cast<Index>(windows.size()), n_functions);
  for (std::size_t k = 0; k < windows.size(); ++k)
    {
      const Index     n_integrals = none[k].integrals.size();
      Eigen::MatrixXd columns(n_integrals + none[k].volumes.size(), n_blocks);
      for (Index block = share.first; block < share.last; ++block)
        columns.col(block) << of_block[block][k].integrals.reshaped(), of_block[block][k].volumes;
      const Vector total        = share.sum(columns, blocks_of_a_sum);
      Sums         sums         = none[k];
      sums.integrals.reshaped() = total.head(n_integrals);
      sums.volumes              = total.tail(sums.volumes.size());
      for (Index f = 0; f < n_functions; ++f)
        {
          double squared = 0.;
          for (Index window = 0; window < sums.volumes.size(); ++window)
            if (sums.volumes(window) > 0.)
              squared += sums.integrals.block(dim * f, window, dim, 1).squaredNorm() / sums.volumes(window);
          result(static_cast<Index>(k), f) = std::sqrt(squared);
        }
    }
  return result;
}
} // namespace

Eigen::MatrixXd coarse_distances(const VoronoiCells &cells, const macro::Domain &domain, const Vector &v,
                                 const std::vector<geometry::Field> &functions, const std::vector<int> &windows)
{
  if (windows.empty())
    return Eigen::MatrixXd(0, static_cast<Index>(functions.size()));
  return convex::with_dimension(cells.dimension(), [&](const auto dim) {
    return on_windows<decltype(dim)::value>(cells, domain, v, functions, windows);
  });
}
} // namespace moreau::homogenization
