// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/directional/simplex_velocity.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace moreau::macro
{
SimplexVelocity::SimplexVelocity(const BisectedBox &box, const SimplexZone &zone, Vector v)
    : box(box), zone(zone), values(std::move(v)), number(box.mesh().n_simplices(), -1)
{
  for (std::size_t t = 0; t < zone.simplex_of_cell.size(); ++t)
    number[zone.simplex_of_cell[t]] = static_cast<int>(t);
}

Reach SimplexVelocity::operator()(const double *const x, double *const v) const
{
  SimplexPoint lambda;
  const int    simplex = box.containing(x, lambda);
  if (simplex < 0 || number[simplex] < 0)
    return beside(x, v);
  evaluate(number[simplex], lambda, v);
  return Reach::on_mesh;
}

Reach SimplexVelocity::beside(const double *const x, double *const v) const
{
  constexpr Index  around = 2; // cells
  const BoxGrid   &grid   = box.grid();
  CellIndex        begin = {0, 0, 0}, end = {1, 1, 1}, cell;
  std::vector<int> simplices;
  for (int a = 0; a < grid.dim; ++a)
    {
      const double s = (x[a] - grid.lower(a)) / grid.h(a);
      if (!(s > -2. && s < static_cast<double>(grid.n[a]) + 2.))
        return Reach::away;
      const auto here = static_cast<Index>(std::floor(s));
      begin[a]        = std::max(here - around, Index(0));
      end[a]          = std::min(here + around + 1, grid.n[a]);
    }
  for (cell[2] = begin[2]; cell[2] < end[2]; ++cell[2])
    for (cell[1] = begin[1]; cell[1] < end[1]; ++cell[1])
      for (cell[0] = begin[0]; cell[0] < end[0]; ++cell[0])
        box.collect(cell, simplices);

  double       least   = std::numeric_limits<double>::infinity();
  int          nearest = -1;
  SimplexPoint where   = {};
  for (const int simplex : simplices)
    {
      if (number[simplex] < 0)
        continue;
      const SimplexMatrix vertices = zone.mesh.vertices(number[simplex]);
      double              distance = 0.; // from the box around the simplex first
      for (int a = 0; a < grid.dim; ++a)
        distance += std::pow(std::max({vertices.row(a).minCoeff() - x[a], x[a] - vertices.row(a).maxCoeff(), 0.}), 2);
      if (distance >= least * least)
        continue;
      const SimplexPoint lambda = nearest_on_simplex(vertices, x, distance);
      if (distance < least)
        {
          least   = distance;
          nearest = number[simplex];
          where   = lambda;
        }
    }
  const Reach result = reach(least / grid.h.maxCoeff());
  if (result != Reach::away)
    evaluate(nearest, where, v);
  return result;
}

void SimplexVelocity::evaluate(const int cell_of_zone, const SimplexPoint &lambda, double *const v) const
{
  const int   dim    = zone.mesh.dim();
  const auto *vertex = zone.mesh.simplices.col(cell_of_zone).data();
  for (int a = 0; a < dim; ++a)
    v[a] = 0.;
  for (int i = 0; i <= dim; ++i)
    {
      const double *const of_i = values.data() + static_cast<Index>(dim) * vertex[i];
      for (int a = 0; a < dim; ++a)
        v[a] += lambda[i] * of_i[a];
    }
}
} // namespace moreau::macro
