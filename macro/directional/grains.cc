// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/directional/grains.h"

#include <algorithm>
#include <numeric>

namespace moreau::macro
{
namespace
{
/// Whether each direction of one simplex has a neighbour among those of the other.
bool has_directions_of(const DirectionalZone &zone, const Index one, const Index other)
{
  constexpr double near = .1;
  const auto       e = zone.directions_of(one), f = zone.directions_of(other);
  for (Index k = 0; k < e.cols(); ++k)
    {
      double least = 2.;
      for (Index l = 0; l < f.cols(); ++l)
        least = std::min({least, (e.col(k) - f.col(l)).norm(), (e.col(k) + f.col(l)).norm()});
      if (least > near)
        return false;
    }
  return true;
}
} // namespace

Vector grain_numbers(const DirectionalZone &zone)
{
  if (zone.directions.cols() <= 1)
    return {};
  std::vector<Index> first(zone.zone.mesh.n_simplices());
  std::iota(first.begin(), first.end(), Index(0));
  const auto root = [&](Index t) {
    while (first[t] != t)
      t = first[t] = first[first[t]];
    return t;
  };
  for (const Facet &facet : zone.zone.facets)
    if (facet.neighbour >= 0 && has_directions_of(zone, facet.simplex, facet.neighbour) &&
        has_directions_of(zone, facet.neighbour, facet.simplex))
      {
        const Index one = root(facet.simplex), other = root(facet.neighbour);
        first[std::max(one, other)] = std::min(one, other);
      }
  Vector number(zone.zone.mesh.n_simplices());
  double n = 0.;
  for (Index t = 0; t < number.size(); ++t)
    number(t) = root(t) == t ? n++ : number(root(t));
  return number;
}
} // namespace moreau::macro
