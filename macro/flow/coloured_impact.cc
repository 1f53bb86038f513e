// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/flow/coloured_impact.h"

namespace moreau::macro
{
namespace
{
/// Of faces that have none, beyond one dimension, where the solver takes no infinite weights.
constexpr double light_mass = 1e-4;
/// Gaps that count as closed, in cells. What a flat contact meets at once arrives in rows that projections have moved
/// apart by 1e-10 or so of a cell each; one after the other they would be many impacts.
constexpr double closed_on_line = 1e-9, closed = 1e-6;
} // namespace

ColouredImpact::ColouredImpact(const FlowGrid &grid) : grid(grid), given(grid.capacities())
{
  mass     = grid.faces();
  momentum = grid.faces();
}

void ColouredImpact::lead(std::vector<Colour> &colours)
{
  for (Colour &colour : colours)
    for (int axis = 0; axis < grid.dim() && !colour.is_empty; ++axis)
      {
        const FlowGrid &tiles = colour.grid();
        const Index     s     = tiles.stride(axis);
        const Vector   &m = colour.mass[axis].values, &leader = colour.leader[axis].values, &open = tiles.open(axis);
        tiles.exchange(colour.momentum[axis]);
        const Vector &M = colour.momentum[axis].values;
        tiles.for_faces(axis, [&](const Index c) {
          double all = 0., P = 0.;
          if (open(c) > 0. && leader(c) == 0. && m(c) > empty_density)
            {
              all = m(c);
              P   = M(c);
              if (leader(c - s) > 0.)
                {
                  all += m(c - s);
                  P += M(c - s);
                }
              if (leader(c + s) < 0.)
                {
                  all += m(c + s);
                  P += M(c + s);
                }
            }
          colour.moved[axis].values(c)    = all;
          colour.velocity[axis].values(c) = all > 0. ? P / all : 0.;
        });
        follow(colour, axis);
      }
}

/// Faces that are led take the velocity of their leader; momenta follow.
void ColouredImpact::follow(Colour &colour, const int axis) const
{
  const FlowGrid &tiles = colour.grid();
  const Index     s     = tiles.stride(axis);
  const Vector   &m = colour.mass[axis].values, &leader = colour.leader[axis].values;
  CellArray      &u = colour.velocity[axis];
  tiles.exchange(u);
  tiles.for_faces(axis, [&](const Index c) {
    if (leader(c) != 0.)
      u.values(c) = u.values(leader(c) > 0. ? c + s : c - s);
    colour.momentum[axis].values(c) = m(c) > empty_density ? tiles.open(axis)(c) * m(c) * u.values(c) : 0.;
  });
  tiles.exchange(u);
}

/// θ_k, mass and momentum of Φ.
void ColouredImpact::join(std::vector<Colour> &colours)
{
  const double nothing = crumb_density(grid);
  for (int axis = 0; axis < grid.dim(); ++axis)
    {
      const bool under_force = colours.front().is_under_force();
      CellArray  response;
      if (under_force)
        {
          response        = grid.array();
          response.values = grid.capacity(axis);
        }
      mass[axis].values.setZero();
      momentum[axis].values.setZero();
      for_faces_of(grid, colours, axis, [&](const std::vector<ColourInTile> &here, const Index in_tile, const Index face) {
        double held = 0., by_itself = 0., w = 0., flux = 0., lost = 0.;
        for (const ColourInTile &of : here)
          {
            held += of.colour->share[axis].values(of.begin + in_tile);
            if (const double m = of.colour->moved[axis].values(of.begin + in_tile); m > nothing)
              by_itself += m;
          }
        for (const ColourInTile &of : here)
          {
            const Index  c    = of.begin + in_tile;
            const double m    = of.colour->moved[axis].values(c);
            double      &part = of.colour->part[axis].values(c);
            part              = held > 0. ? of.colour->share[axis].values(c) : m > nothing ? m / by_itself : 0.;
            if (part > 0.)
              {
                const double resistance = of.colour->resistance_on(axis, c);
                w += part * part / (m * resistance);
                lost += part * (1. - 1. / resistance);
                flux += part * of.colour->velocity[axis].values(c);
              }
          }
        if (under_force)
          response.values(face) = grid.capacity(axis)(face) * (1. - lost);
        mass[axis].values(face)     = w > 0. ? 1. / w : 0.;
        momentum[axis].values(face) = w > 0. ? flux / w : 0.;
      });
      grid.exchange(mass[axis]);
      if (!under_force)
        continue;
      grid.exchange(response);
      given[axis] = std::move(response.values);
    }
}

/// Takes cells out of the zone that end at a face without mass, with no full cell behind.
void ColouredImpact::leave_free_cells(CellArray &zone) const
{
  double n_left = 1.;
  while (n_left > 0.)
    {
      n_left = 0.;
      for (int axis = 0; axis < grid.dim(); ++axis)
        {
          const Index s = grid.stride(axis);
          grid.for_cells([&](const Index c) {
            const auto ends = [&](const Index face, const Index behind) {
              return grid.open(axis)(face) > 0. && !(mass[axis].values(face) > 0.) && !(zone.values(behind) > 0.);
            };
            if (zone.values(c) > 0. && (ends(c, c - s) || ends(c + s, c + s)))
              {
                zone.values(c) = 0.;
                ++n_left;
              }
          });
        }
      n_left = grid.sum(n_left);
      grid.exchange(zone);
    }
}

/// Beyond one dimension faces without mass between full cells get a little, and the velocity that a projection with e = 0
/// leaves them, found twice: then q is the same on both sides but for the square of that mass, as it is where two cells are
/// one, no momentum is lost to it, and neither does it rebound.
convex::Effort ColouredImpact::settle_light_faces(const CellArray &zone, const ImpactLaw &law, const CellArray &q)
{
  std::array<std::vector<Index>, 3> light;
  double                            n_light = 0.;
  for (int axis = 0; axis < grid.dim(); ++axis)
    {
      const Index s = grid.stride(axis);
      Vector     &m = mass[axis].values, &M = momentum[axis].values;
      grid.exchange(momentum[axis]);
      const auto velocity = [&](const Index face) { return m(face) > 0. ? M(face) / m(face) : 0.; };
      grid.for_faces(axis, [&](const Index c) {
        if (grid.open(axis)(c) > 0. && !(m(c) > 0.) && zone.values(c) > 0. && zone.values(c - s) > 0.)
          light[axis].push_back(c);
      });
      std::vector<double> mean;
      for (const Index c : light[axis])
        mean.push_back(.5 * (velocity(c - s) + velocity(c + s)));
      for (std::size_t k = 0; k < mean.size(); ++k)
        {
          m(light[axis][k]) = light_mass;
          M(light[axis][k]) = light_mass * mean[k];
        }
      n_light += static_cast<double>(mean.size());
      grid.exchange(mass[axis]);
    }
  convex::Effort effort;
  if (grid.sum(n_light) == 0.)
    return effort;
  ImpactLaw inelastic       = law;
  inelastic.law.restitution = 0.;
  CellArray guess           = q;
  for (int repetition = 0; repetition < 2; ++repetition)
    {
      FaceCells            after  = momentum;
      const convex::Impact impact = apply_impact_law(grid, zone, mass, grid.capacities(), inelastic, after, guess);
      if (impact.effort.n_projections == 0)
        break;
      effort += impact.effort;
      for (int axis = 0; axis < grid.dim(); ++axis)
        for (const Index c : light[axis])
          momentum[axis].values(c) = after[axis].values(c);
    }
  return effort;
}

FlowImpact ColouredImpact::apply(std::vector<Colour> &colours, const CellArray &rho, const CellArray &rho_max,
                                 const ImpactLaw &law, CellArray &q)
{
  set_shares(grid, colours);
  lead(colours);
  join(colours);
  CellArray zone = full_cells(grid, rho, rho_max, grid.dim() == 1 ? closed_on_line : closed);
  leave_free_cells(zone);
  const convex::Effort before = grid.dim() > 1 ? settle_light_faces(zone, law, q) : convex::Effort{};
  FlowImpact           impact = apply_impact_law(grid, zone, mass, grid.capacities(), law, momentum, q);
  if (impact.effort.n_projections == 0)
    return impact;
  impact.effort.n_projections += before.n_projections;
  impact.effort.n_iterations += before.n_iterations;
  for (int axis = 0; axis < grid.dim(); ++axis)
    {
      const Index  s     = grid.stride(axis);
      const double per_h = 1. / grid.box().h(axis);
      for (Colour &colour : colours)
        {
          if (colour.is_empty)
            continue;
          colour.grid().for_faces_in_whole(axis, [&](const Index c, const Index face) {
            if (const double part = colour.part[axis].values(c); part > 0.)
              colour.velocity[axis].values(c) -= part / (colour.moved[axis].values(c) * colour.resistance_on(axis, c)) *
                                                 (grid.capacity(axis)(face) * (q.values(face) - q.values(face - s)) * per_h);
          });
          follow(colour, axis);
        }
    }
  return impact;
}
} // namespace moreau::macro
