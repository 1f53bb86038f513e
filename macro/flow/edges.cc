// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/flow/edges.h"

namespace moreau::macro
{
namespace
{
constexpr double hardly = 1e-6; ///< what an empty cell has of the density beside it, or less

/// One axis. Directions: a cell pressed from below moves along the axis, one pressed from above against it.
class Edges
{
public:
  Edges(const FlowGrid &grid, const int axis, const CellArray &rho, const CellArray &rho_D, CellArray &momentum)
      : grid(grid)
      , s(grid.stride(axis))
      , open(grid.open(axis))
      , d(rho_D.values)
      , m(momentum)
      , u(grid.array())
      , outer(grid.array())
  {
    grid.for_faces(axis, [&](const Index c) {
      u.values(c)        = d(c) > empty_density ? m.values(c) / d(c) : 0.;
      const double below = rho.values(c - s), above = rho.values(c), more = std::max(below, above);
      if (open(c) > 0. && more > empty_density && std::min(below, above) <= std::max(empty_density, hardly * more))
        outer.values(c) = above > below ? from_below : from_above;
    });
    for (const int side : {2 * axis, 2 * axis + 1})
      if (grid.side(side) == Boundary::inflow)
        grid.for_side(side, [&](const Index face, Index, const CellIndex &) { outer.values(face) = 0.; });
    grid.exchange(u);
    grid.exchange(outer);
  }

  /// Adds to `taken` what closed faces take; returns what they give.
  double join(const int axis, Vector &taken)
  {
    CellArray joined = u;
    grid.for_faces(axis, [&](const Index c) { joined.values(c) = velocity_with_partners(c); });
    grid.exchange(joined);
    grid.for_faces_in_whole(axis, [&](const Index c, const Index face) { // an outer face may be another process'
      if (open(c) == 0.)
        taken(face) += (presses(c - s, from_below) ? d(c - s) * u.values(c - s) : 0.) +
                       (c + s < grid.size() && presses(c + s, from_above) ? d(c + s) * u.values(c + s) : 0.);
    });
    double given = 0.;
    grid.for_faces(axis, [&](const Index c) {
      if (open(c) == 0.)
        return;
      const Index partner = presses(c, from_below) ? c + s : presses(c, from_above) ? c - s : c;
      if (partner == c && joined.values(c) == u.values(c))
        return;
      const bool   stopped = open(partner) == 0.;
      const double before  = m.values(c);
      m.values(c)          = stopped ? 0. : d(c) * joined.values(partner);
      if (stopped)
        given -= before;
    });
    return given;
  }

private:
  static constexpr double from_below = 1., from_above = 2.;

  /// Whether c is an outer face that moves into its cell faster than the opposite face moves on, which is none of its kind.
  bool presses(const Index c, const double from) const
  {
    if (outer.values(c) != from)
      return false;
    const Index opposite = from == from_below ? c + s : c - s;
    return outer.values(opposite) != from &&
           (from == from_below ? u.values(c) > u.values(opposite) : u.values(opposite) > u.values(c));
  }

  double velocity_with_partners(const Index c) const
  {
    double     mass = d(c), moved = d(c) * u.values(c);
    const auto add = [&](const Index partner) {
      mass += d(partner);
      moved += d(partner) * u.values(partner);
    };
    const bool below = presses(c - s, from_below), above = c + s < grid.size() && presses(c + s, from_above);
    if (below)
      add(c - s);
    if (above)
      add(c + s);
    return (below || above) && mass > 0. ? moved / mass : u.values(c);
  }

  const FlowGrid &grid;
  Index           s;
  const Vector   &open, &d;
  CellArray      &m;
  CellArray       u, outer;
};
} // namespace

Vector join_edges(const FlowGrid &grid, const CellArray &rho, const FaceCells &rho_D, FaceCells &momentum, FaceCells &taken)
{
  Vector given(grid.dim());
  for (int axis = 0; axis < grid.dim(); ++axis)
    given(axis) = grid.sum(Edges(grid, axis, rho, rho_D[axis], momentum[axis]).join(axis, taken[axis].values)) *
                  grid.box().cell_volume();
  return given;
}

CellArray full_cells_with_edges(const FlowGrid &grid, const CellArray &rho, const CellArray &rho_max)
{
  const CellArray body = full_cells(grid, rho, rho_max);
  CellArray       zone = body;
  for (int axis = 0; axis < grid.dim(); ++axis)
    {
      const Index s       = grid.stride(axis);
      const auto  is_edge = [&](const Index c, const Index to_body) {
        const Index behind = c - to_body; // in the box, where there is room
        return body.values(c + to_body) > 0. && rho_max.values(behind) > 0. && rho.values(behind) <= hardly;
      };
      grid.for_cells([&](const Index c) {
        if (rho.values(c) > hardly && (is_edge(c, s) || is_edge(c, -s)))
          zone.values(c) = 1.;
      });
    }
  grid.exchange(zone);
  return zone;
}
} // namespace moreau::macro
