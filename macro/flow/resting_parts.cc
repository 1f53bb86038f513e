// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/flow/resting_parts.h"

#include <algorithm>

namespace moreau::macro
{
namespace
{
/// Own cells of the zone that open faces join, by number; -1 elsewhere.
struct Parts
{
  std::vector<int> of_cell; ///< by position
  int              n = 0;
};

Parts own_parts(const FullZone &zone)
{
  constexpr int   none = -1, free = -2;
  const FlowGrid &grid = zone.flow_grid();
  Parts           parts{std::vector<int>(grid.size(), none)};
  grid.for_cells([&](const Index c) { parts.of_cell[c] = zone.inside().values(c) > 0. ? free : none; });
  grid.for_cells([&](const Index start) {
    if (parts.of_cell[start] != free)
      return;
    parts.of_cell[start] = parts.n;
    grid.spread(start, [&](const int axis, const Index face, const Index other) {
      const bool joins = parts.of_cell[other] == free && zone.mobility()[axis].values(face) > 0.;
      if (joins)
        parts.of_cell[other] = parts.n;
      return joins;
    });
    ++parts.n;
  });
  return parts;
}

/// The largest of rows in each part, also of what is joined over the borders of processes.
Vector largest_of_parts(const FullZone &zone, const Parts &parts, const Vector &of_rows)
{
  const FlowGrid &grid    = zone.flow_grid();
  Vector          largest = Vector::Zero(parts.n);
  CellArray       values  = grid.array();
  zone.scatter(of_rows, values);
  grid.for_cells([&](const Index c) {
    if (const int part = parts.of_cell[c]; part >= 0)
      largest(part) = std::max(largest(part), values.values(c));
  });
  if (grid.box().processes.size() == 1)
    return largest;
  double changes = 1.;
  while (grid.largest(changes) > 0.)
    {
      changes = 0.;
      grid.for_cells([&](const Index c) {
        if (const int part = parts.of_cell[c]; part >= 0)
          values.values(c) = largest(part);
      });
      grid.exchange(values);
      const int   axis = grid.box().last_axis(); // across which processes share the box
      const Index s    = grid.stride(axis);
      const auto &open = zone.mobility()[axis].values;
      grid.for_cells([&](const Index c) {
        const int part = parts.of_cell[c];
        if (part < 0)
          return;
        const double beside = std::max(open(c) > 0. && zone.inside().values(c - s) > 0. ? values.values(c - s) : 0.,
                                       open(c + s) > 0. && zone.inside().values(c + s) > 0. ? values.values(c + s) : 0.);
        if (beside > largest(part))
          {
            largest(part) = beside;
            changes       = 1.;
          }
      });
    }
  return largest;
}
} // namespace

std::vector<PartsOfZone> parts_of_zone(const FullZone &zone, const Vector &approach, const Vector &pressed,
                                       const double slow)
{
  constexpr double rounding = 1e-12; // of what the force gives anywhere
  const FlowGrid  &grid     = zone.flow_grid();
  const Parts      parts    = own_parts(zone);
  const Vector     speeds = largest_of_parts(zone, parts, approach), by_force = largest_of_parts(zone, parts, pressed);
  const double     nothing      = rounding * grid.largest(by_force.size() > 0 ? by_force.maxCoeff() : 0.);
  double           fastest_free = 0.;
  for (int part = 0; part < parts.n; ++part)
    if (by_force(part) <= nothing)
      fastest_free = std::max(fastest_free, speeds(part));
  const bool free_rest = grid.largest(fastest_free) <= slow;

  enum Kind
  {
    at_rest,
    free,
    pressed_on
  };
  const auto kind_of = [&](const int part) {
    const bool is_free = by_force(part) <= nothing;
    if (is_free ? free_rest : speeds(part) <= slow + 2. * by_force(part))
      return at_rest;
    return is_free ? free : pressed_on;
  };
  std::vector<PartsOfZone> result;
  for (const Kind kind : {pressed_on, free, at_rest})
    {
      double      any = 0., resting = slow;
      PartsOfZone those{grid.array(), kind == at_rest, slow};
      for (int part = 0; part < parts.n; ++part)
        if (kind_of(part) == kind)
          {
            any     = 1.;
            resting = std::max(resting, kind == free ? slow : slow + 2. * by_force(part));
          }
      if (!(grid.largest(any) > 0.))
        continue;
      grid.for_cells([&](const Index c) {
        const int part         = parts.of_cell[c];
        those.inside.values(c) = part >= 0 && kind_of(part) == kind ? 1. : 0.;
      });
      grid.exchange(those.inside);
      those.resting = grid.largest(resting);
      result.push_back(std::move(those));
    }
  return result;
}
} // namespace moreau::macro
