// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/directional/lattices/line_points.h"

#include "macro/saturated_cells.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace moreau::macro
{
template <int dim>
std::vector<double> CellEnds<dim>::crossings(const Point &x, const Point &e, const double low, const double high) const
{
  std::vector<double> at = {low, high};
  for (Index family = 0; family < planes.cols(); ++family)
    {
      const double number = planes.col(family).dot(x) + first(family), rate = planes.col(family).dot(e),
                   a = number + low * rate, b = number + high * rate;
      for (double plane = std::floor(std::min(a, b)) + 1.; plane < std::max(a, b); ++plane)
        at.push_back(std::clamp((plane - number) / rate, low, high));
    }
  std::sort(at.begin(), at.end());
  return at;
}

template <int dim>
void LinePoints<dim>::complete(const Domain &domain, const Field &velocity)
{
  const PointBins<dim> bins(x, size);
  std::vector<int>     alone;
  const Index          n = weight.size();
  for (std::size_t k = 0; k < parts.size(); ++k)
    {
      if (!parts[k].points.empty())
        continue;
      const auto distance = [this, k](const int q) { return (x.col(q) - parts[k].centre).squaredNorm(); };
      const auto nearer   = [&](const int a, const int b) { return distance(a) < distance(b); };
      const auto of_asked = std::min_element(parts[k].asked.begin(), parts[k].asked.end(), nearer);
      if (const int nearest = of_asked != parts[k].asked.end() ? *of_asked : bins.nearest(parts[k].centre); nearest >= 0)
        weight(nearest) += parts[k].volume;
      else if (parts[k].cell >= 0)
        alone.push_back(static_cast<int>(k));
    }
  const auto n_alone = static_cast<Index>(alone.size());
  if (n_alone == 0)
    return;
  x.conservativeResize(dim, n + n_alone);
  U.conservativeResize(dim, n + n_alone);
  weight.conservativeResize(n + n_alone);
  for (Index k = 0; k < n_alone; ++k)
    {
      CellPart<dim> &of = parts[alone[k]];
      of.points         = {static_cast<int>(n + k)};
      x.col(n + k)      = of.centre;
      weight(n + k)     = of.volume;
      cell.push_back(of.cell);
      part.push_back(alone[k]);
      place.push_back(std::numeric_limits<Index>::max() / 2); // on no line with others
    }
  Eigen::MatrixXd values(dim, n_alone);
  velocity(within_box(domain, x.rightCols(n_alone)), values);
  U.rightCols(n_alone) = values;
}

template <int dim>
PointBins<dim>::PointBins(const Points &x, const double reach) : x(x), reach(reach)
{
  bins.reserve(x.cols());
  for (Index q = 0; q < x.cols(); ++q)
    bins.emplace_back(bin_of(x.col(q)), static_cast<int>(q));
  std::sort(bins.begin(), bins.end());
}

template <int dim>
auto PointBins<dim>::bin_of(const Point &at) const -> Bin
{
  Bin bin;
  for (int a = 0; a < dim; ++a)
    bin[a] = static_cast<long long>(std::floor(at(a) / reach));
  return bin;
}

/// In bins that differ by one at most along each axis.
template <int dim>
template <class F>
void PointBins<dim>::for_each_around(const Point &centre, const F &f) const
{
  for (int beside = 0; beside < (dim == 2 ? 9 : 27); ++beside)
    {
      Bin bin  = bin_of(centre);
      int rest = beside;
      for (int a = 0; a < dim; ++a, rest /= 3)
        bin[a] += rest % 3 - 1;
      for (auto at = std::lower_bound(bins.begin(), bins.end(), std::pair(bin, -1)); at != bins.end() && at->first == bin;
           ++at)
        if (const double squared = (x.col(at->second) - centre).squaredNorm(); squared < reach * reach)
          f(at->second, squared);
    }
}

template <int dim>
std::vector<int> PointBins<dim>::around(const Point &centre) const
{
  std::vector<int> found;
  for_each_around(centre, [&](const int q, double) { found.push_back(q); });
  std::sort(found.begin(), found.end());
  return found;
}

template <int dim>
int PointBins<dim>::nearest(const Point &centre) const
{
  int    found = -1;
  double least = std::numeric_limits<double>::infinity();
  for_each_around(centre, [&](const int q, const double squared) {
    if (squared < least || squared == least && q < found)
      {
        least = squared;
        found = q;
      }
  });
  return found;
}

template struct CellEnds<2>;
template struct CellEnds<3>;
template struct LinePoints<2>;
template struct LinePoints<3>;
template class PointBins<2>;
template class PointBins<3>;
} // namespace moreau::macro
