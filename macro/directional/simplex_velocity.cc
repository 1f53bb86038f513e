// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/directional/simplex_velocity.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace moreau::macro
{
namespace
{
using Axes = std::array<int, 3>;

/// Position among the permutations of 0 ... dim-1 in lexicographic order, in
/// which kuhn_subdivision() numbers the simplices of a cell.
int rank_of(const Axes &axes, const int dim)
{
  return dim == 1 ? 0 : dim == 2 ? axes[0] : 2 * axes[0] + (axes[1] > axes[2] ? 1 : 0);
}

/// Axes by falling coordinates.
Axes order_of(const std::array<double, 3> &xi, const int dim)
{
  Axes       axes   = {0, 1, 2};
  const auto settle = [&](const int i, const int j) {
    if (xi[axes[i]] < xi[axes[j]])
      std::swap(axes[i], axes[j]);
  };
  if (dim > 1)
    settle(0, 1);
  if (dim > 2)
    {
      settle(1, 2);
      settle(0, 1);
    }
  return axes;
}
} // namespace

SimplexVelocity::SimplexVelocity(const BoxGrid &grid, const SimplexZone &zone, Vector v)
    : grid(grid)
    , zone(zone)
    , values(std::move(v))
    , n_orders(grid.dim == 3 ? 6 : grid.dim)
    , number(n_orders * grid.n_cells(), -1)
{
  for (std::size_t t = 0; t < zone.simplex_of_cell.size(); ++t)
    number[zone.simplex_of_cell[t]] = static_cast<int>(t);
}

Reach SimplexVelocity::operator()(const double *const x, double *const v) const
{
  Local     s = {}, xi = {};
  CellIndex cell   = {0, 0, 0};
  bool      inside = true;
  for (int a = 0; a < grid.dim; ++a)
    {
      s[a]   = (x[a] - grid.lower(a)) / grid.h(a);
      inside = inside && s[a] >= 0. && s[a] < static_cast<double>(grid.n[a]);
      if (!inside)
        continue;
      cell[a] = static_cast<Index>(s[a]);
      xi[a]   = s[a] - static_cast<double>(cell[a]);
    }
  if (!inside)
    return beside(s, v);
  const Axes axes    = order_of(xi, grid.dim);
  const int  simplex = of_cell(cell, rank_of(axes, grid.dim));
  if (simplex < 0)
    return beside(s, v);
  evaluate(simplex, axes, xi, v);
  return Reach::on_mesh;
}

/// The point of 1 >= y_{axes[0]} >= y_{axes[1]} >= ... >= 0 nearest to xi: the isotonic regression of the coordinates,
/// weighted with the squares of the sides of a cell, cut off at 0 and 1.
SimplexVelocity::Local SimplexVelocity::nearest(const Local &xi, const Axes &axes) const
{
  Local              mean = {}, weight = {};
  std::array<int, 3> size     = {};
  int                n_blocks = 0;
  for (int l = 0; l < grid.dim; ++l)
    {
      mean[n_blocks]   = xi[axes[l]];
      weight[n_blocks] = grid.h(axes[l]) * grid.h(axes[l]);
      size[n_blocks++] = 1;
      for (; n_blocks > 1 && mean[n_blocks - 2] < mean[n_blocks - 1]; --n_blocks)
        {
          const int    a = n_blocks - 2, b = n_blocks - 1;
          const double both = weight[a] + weight[b];
          mean[a]           = (weight[a] * mean[a] + weight[b] * mean[b]) / both;
          weight[a]         = both;
          size[a] += size[b];
        }
    }
  Local y = {};
  for (int block = 0, l = 0; block < n_blocks; ++block)
    for (int k = 0; k < size[block]; ++k)
      y[axes[l++]] = std::min(std::max(mean[block], 0.), 1.);
  return y;
}

Reach SimplexVelocity::beside(const Local &s, double *const v) const
{
  constexpr Index around = 2; // cells
  CellIndex       begin = {0, 0, 0}, end = {1, 1, 1}, cell;
  for (int a = 0; a < grid.dim; ++a)
    {
      if (!(s[a] > -2. && s[a] < static_cast<double>(grid.n[a]) + 2.))
        return Reach::away;
      const auto here = static_cast<Index>(std::floor(s[a]));
      begin[a]        = std::max(here - around, Index(0));
      end[a]          = std::min(here + around + 1, grid.n[a]);
    }
  const auto squared_distance = [&](const Local &y, const Local &z) {
    double sum = 0.;
    for (int a = 0; a < grid.dim; ++a)
      sum += std::pow((y[a] - z[a]) * grid.h(a), 2);
    return sum;
  };
  double least   = std::numeric_limits<double>::infinity();
  int    simplex = -1;
  Local  at      = {};
  Axes   axes_at = {};
  for (cell[2] = begin[2]; cell[2] < end[2]; ++cell[2])
    for (cell[1] = begin[1]; cell[1] < end[1]; ++cell[1])
      for (cell[0] = begin[0]; cell[0] < end[0]; ++cell[0])
        {
          Local xi = {}, of_cube = {};
          for (int a = 0; a < grid.dim; ++a)
            {
              xi[a]      = s[a] - static_cast<double>(cell[a]);
              of_cube[a] = std::min(std::max(xi[a], 0.), 1.);
            }
          if (squared_distance(xi, of_cube) >= least)
            continue;
          Axes axes = {0, 1, 2};
          for (int order = 0; order < n_orders; ++order)
            {
              const int candidate = of_cell(cell, order);
              if (candidate >= 0)
                if (const Local y = nearest(xi, axes); squared_distance(xi, y) < least)
                  {
                    least   = squared_distance(xi, y);
                    simplex = candidate;
                    at      = y;
                    axes_at = axes;
                  }
              std::next_permutation(axes.begin(), axes.begin() + grid.dim);
            }
        }
  const Reach where = reach(std::sqrt(least) / grid.h.maxCoeff());
  if (where != Reach::away)
    evaluate(simplex, axes_at, at, v);
  return where;
}

void SimplexVelocity::evaluate(const int simplex, const Axes &axes, const Local &xi, double *const v) const
{
  const int   dim    = grid.dim;
  const auto *vertex = zone.mesh.simplices.col(simplex).data();
  for (int a = 0; a < dim; ++a)
    v[a] = 0.;
  for (int i = 0; i <= dim; ++i)
    {
      const double        lambda = (i == 0 ? 1. : xi[axes[i - 1]]) - (i == dim ? 0. : xi[axes[i]]);
      const double *const of_i   = values.data() + static_cast<Index>(dim) * vertex[i];
      for (int a = 0; a < dim; ++a)
        v[a] += lambda * of_i[a];
    }
}
} // namespace moreau::macro
