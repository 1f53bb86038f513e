// SPDX-License-Identifier: GPL-3.0-or-later
#include "homogenization/cell_location.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace moreau::homogenization
{
CellLocation::CellLocation(const micro::Spheres &spheres)
    : r(spheres.r), R_squared(spheres.R.cwiseAbs2()), largest_R_squared(R_squared.maxCoeff()), lower(r.rowwise().minCoeff())
{
  const Index  dim    = r.rows();
  const Vector extent = r.rowwise().maxCoeff() - lower;
  // centres in a row span no area: their longest extent stands for the others
  const double volume = extent.cwiseMax(extent.maxCoeff() / static_cast<double>(r.cols())).prod();
  side                = std::pow(volume / static_cast<double>(r.cols()), 1. / static_cast<double>(dim));
  side                = std::max(side, 2. * std::sqrt(largest_R_squared) / 4.);
  Index n_cells       = 1;
  for (Index a = 0; a < dim; ++a)
    {
      n.push_back(1 + static_cast<Index>(extent(a) / side));
      n_cells *= n.back();
    }

  std::vector<int> home(r.cols());
  start.assign(n_cells + 1, 0);
  for (Index i = 0; i < r.cols(); ++i)
    {
      Index k = 0;
      for (Index a = dim - 1; a >= 0; --a)
        k = k * n[a] + std::min(n[a] - 1, static_cast<Index>((r(a, i) - lower(a)) / side));
      home[i] = static_cast<int>(k);
      ++start[k + 1];
    }
  for (Index k = 0; k < n_cells; ++k)
    start[k + 1] += start[k];
  member.resize(r.cols());
  std::vector<int> next(start.begin(), start.end() - 1);
  for (Index i = 0; i < r.cols(); ++i)
    member[next[home[i]]++] = static_cast<int>(i);
}

void CellLocation::search_ring(const Index *const begin, const Index ring, const double *const x, double &least,
                               Index &nearest) const
{
  const Index dim    = r.rows();
  Index       low[3] = {0, 0, 0}, high[3] = {0, 0, 0};
  for (Index a = 0; a < dim; ++a)
    {
      low[a]  = std::max<Index>(0, begin[a] - ring);
      high[a] = std::min(n[a] - 1, begin[a] + ring);
    }
  Index k[3];
  for (k[2] = low[2]; k[2] <= high[2]; ++k[2])
    for (k[1] = low[1]; k[1] <= high[1]; ++k[1])
      for (k[0] = low[0]; k[0] <= high[0]; ++k[0])
        {
          Index distance = 0, position = 0;
          for (Index a = dim - 1; a >= 0; --a)
            {
              distance = std::max(distance, std::abs(k[a] - begin[a]));
              position = position * n[a] + k[a];
            }
          if (distance != ring) // met before
            continue;
          for (int m = start[position]; m < start[position + 1]; ++m)
            {
              const Index i     = member[m];
              double      power = -R_squared(i);
              for (Index a = 0; a < dim; ++a)
                power += (x[a] - r(a, i)) * (x[a] - r(a, i));
              if (power < least || (power == least && i < nearest))
                {
                  least   = power;
                  nearest = i;
                }
            }
        }
}

Index CellLocation::cell(const double *const x) const
{
  const Index dim      = r.rows();
  Index       begin[3] = {0, 0, 0}, last = 0;
  double      outside = 0.; // distance to the grid in the maximum norm
  for (Index a = 0; a < dim; ++a)
    {
      const double position = (x[a] - lower(a)) / side;
      begin[a]              = std::clamp<Index>(static_cast<Index>(std::floor(position)), 0, n[a] - 1);
      last                  = std::max({last, begin[a], n[a] - 1 - begin[a]});
      outside               = std::max({outside, -position * side, (position - static_cast<double>(n[a])) * side});
    }
  double least   = std::numeric_limits<double>::infinity();
  Index  nearest = 0;
  for (Index ring = 0; ring <= last; ++ring)
    {
      // grid cells of this ring and all behind it are at least so far away
      const double gap = std::max(outside, static_cast<double>(ring - 1) * side);
      if (ring > 0 && gap * gap - largest_R_squared > least)
        break;
      search_ring(begin, ring, x, least, nearest);
    }
  return nearest;
}

geometry::Field prolongation(const micro::Spheres &spheres, Vector v)
{
  const auto  location = std::make_shared<const CellLocation>(spheres);
  const Index dim      = spheres.dimension();
  return [location, dim, v = std::move(v)](const Eigen::MatrixXd &x, Eigen::MatrixXd &values) {
    values.resize(dim, x.cols());
    for (Index k = 0; k < x.cols(); ++k)
      values.col(k) = v.segment(dim * location->cell(x.col(k).data()), dim);
  };
}
} // namespace moreau::homogenization
