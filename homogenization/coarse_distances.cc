// SPDX-License-Identifier: GPL-3.0-or-later
#include "homogenization/coarse_distances.h"

#include "homogenization/embedded_rule.h"
#include "homogenization/shared_columns.h"
#include "homogenization/simplex_geometry.h"

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

} // namespace

Eigen::MatrixXd coarse_distances(const VoronoiCells &cells, const macro::Domain &domain, const Vector &v,
                                 const std::vector<geometry::Field> &functions, const std::vector<int> &windows)
{
  constexpr Index at_a_time = 256, blocks_of_a_sum = 16; // so that results do not depend on the number of threads, processes
  const Index     dim = cells.dimension(), n_functions = static_cast<Index>(functions.size());
  if (windows.empty())
    return Eigen::MatrixXd(0, n_functions);
  const std::vector<WindowPlane> planes = planes_between(domain, windows);
  const EmbeddedRule             rule   = simplex_rule(static_cast<int>(dim));
  std::vector<Sums>              none;
  for (const int k : windows)
    none.emplace_back(dim * n_functions, static_cast<Index>(std::lround(std::pow(k, dim))));

  const Index                    n_blocks = (cells.size() + at_a_time - 1) / at_a_time;
  std::vector<std::vector<Sums>> of_block(n_blocks, none);
  const Share                    share(cells.processes(), n_blocks, cells.in_parts());
  share.for_each([&](const Index block) {
    std::vector<WindowPart> parts;
    Eigen::MatrixXd         corners, x, u;
    for (Index cell = block * at_a_time; cell < std::min(cells.size(), (block + 1) * at_a_time); ++cell)
      {
        parts.clear();
        cells.simplices(cell, corners);
        for (Index first = 0; first < corners.cols(); first += dim + 1)
          cut_by(corners.middleCols(first, dim + 1), planes, 0, parts);
        const auto n_parts = static_cast<Index>(parts.size());
        x.resize(dim, n_parts * rule.size());
        for (Index part = 0; part < n_parts; ++part)
          x.middleCols(part * rule.size(), rule.size()) = parts[part] * rule.points;
        u.resize(dim, x.cols());
        for (Index f = 0; f < n_functions; ++f)
          {
            functions[f](x, u);
            for (Index part = 0; part < n_parts; ++part)
              {
                const double volume = std::abs(signed_volume(parts[part]));
                const Vector mean =
                    v.segment(dim * cell, dim) - u.middleCols(part * rule.size(), rule.size()) * rule.weights;
                for (std::size_t k = 0; k < windows.size(); ++k)
                  {
                    Sums       &sums   = of_block[block][k];
                    const Index window = window_of(parts[part].rowwise().mean(), domain, windows[k]);
                    sums.integrals.block(dim * f, window, dim, 1) += volume * mean;
                    sums.volumes(window) += f == 0 ? volume : 0.;
                  }
              }
          }
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
} // namespace moreau::homogenization
