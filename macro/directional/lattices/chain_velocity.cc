// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/directional/lattices/chain_velocity.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace moreau::macro
{
ChainVelocity::ChainVelocity(const AlignedGrid &grid, const convex::ChainFamilies &chains, Vector u, const bool smooth)
    : grid(grid), u(std::move(u)), to_cells(grid.h.cwiseInverse().asDiagonal() * grid.frame.transpose())
{
  if (smooth)
    for (std::size_t k = 0; k < chains.families.size(); ++k)
      families.emplace_back(grid, chains.families[k], grid.axis_of_direction[k], this->u);
}

Reach ChainVelocity::operator()(const double *const x, double *const v) const
{
  Local     s = {}, xi = {};
  CellIndex cell   = {0, 0, 0};
  bool      inside = true;
  for (int a = 0; a < grid.dim; ++a)
    {
      for (int b = 0; b < grid.dim; ++b)
        s[a] += to_cells(a, b) * (x[b] - grid.origin(b));
      if (!(s[a] >= 0. && s[a] < static_cast<double>(grid.n[a])))
        {
          inside = false;
          continue;
        }
      cell[a] = static_cast<Index>(s[a]);
      xi[a]   = s[a] - static_cast<double>(cell[a]);
    }
  const int node = inside ? grid.node[grid.position(cell)] : AlignedGrid::none;
  if (node == AlignedGrid::none)
    return beside(s, v);
  evaluate(node, xi, v);
  return grid.is_whole(node) ? Reach::on_mesh : Reach::beside; // of a cut cell a part is saturated
}

Reach ChainVelocity::beside(const Local &s, double *const v) const
{
  constexpr Index around = 2; // cells
  CellIndex       begin = {0, 0, 0}, end = {1, 1, 1};
  for (int a = 0; a < grid.dim; ++a)
    {
      const auto n = static_cast<double>(grid.n[a]);
      if (!(s[a] > -2. && s[a] < n + 2.))
        return Reach::away;
      const auto here = static_cast<Index>(std::floor(s[a]));
      begin[a]        = std::max(here - around, Index(0));
      end[a]          = std::min(here + around + 1, grid.n[a]);
    }
  double    least   = std::numeric_limits<double>::infinity();
  int       nearest = AlignedGrid::none;
  Local     xi = {}, at = {};
  CellIndex cell;
  for (cell[2] = begin[2]; cell[2] < end[2]; ++cell[2])
    for (cell[1] = begin[1]; cell[1] < end[1]; ++cell[1])
      for (cell[0] = begin[0]; cell[0] < end[0]; ++cell[0])
        {
          const int node = grid.node[grid.position(cell)];
          if (node == AlignedGrid::none)
            continue;
          double squared = 0.;
          for (int a = 0; a < grid.dim; ++a)
            {
              const double local = s[a] - static_cast<double>(cell[a]);
              at[a]              = std::min(std::max(local, 0.), 1.);
              squared += std::pow((local - at[a]) * grid.h(a), 2);
            }
          if (squared < least)
            {
              least   = squared;
              nearest = node;
              xi      = at;
            }
        }
  const Reach where = reach(std::sqrt(least) / grid.h.maxCoeff());
  if (where != Reach::away)
    evaluate(nearest, xi, v);
  return where;
}

void ChainVelocity::evaluate(const int node, const Local &xi, double *const v) const
{
  if (families.empty())
    {
      std::copy_n(u.data() + static_cast<Index>(grid.dim) * node, grid.dim, v);
      return;
    }
  std::fill_n(v, grid.dim, 0.);
  for (std::size_t k = 0; k < families.size(); ++k)
    {
      const double along = families[k].value(node, xi.data());
      const auto   e     = grid.frame.col(grid.axis_of_direction[k]);
      for (int a = 0; a < grid.dim; ++a)
        v[a] += along * e(a);
    }
}
} // namespace moreau::macro
