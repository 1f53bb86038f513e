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
  mass.fill(grid.array());
  momentum.fill(grid.array());
}

void ColouredImpact::lead(std::vector<Colour> &colours)
{
  while (parts.size() < colours.size())
    for (std::vector<FaceCells> *const arrays : {&parts, &moved})
      {
        arrays->emplace_back();
        arrays->back().fill(grid.array());
      }
  for (std::size_t k = 0; k < colours.size(); ++k)
    for (int axis = 0; axis < grid.dim(); ++axis)
      {
        Colour &colour = colours[k];
        if (colour.is_empty)
          {
            moved[k][axis].values.setZero();
            continue;
          }
        const Index   s = grid.stride(axis);
        const Vector &m = colour.mass[axis].values, &leader = colour.leader[axis].values, &open = grid.open(axis);
        grid.exchange(colour.momentum[axis]);
        const Vector &M = colour.momentum[axis].values;
        grid.for_faces(axis, [&](const Index c) {
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
              if (c + s < grid.size() && leader(c + s) < 0.)
                {
                  all += m(c + s);
                  P += M(c + s);
                }
            }
          moved[k][axis].values(c)        = all;
          colour.velocity[axis].values(c) = all > 0. ? P / all : 0.;
        });
        follow(colour, axis);
      }
}

/// Faces that are led take the velocity of their leader; momenta follow.
void ColouredImpact::follow(Colour &colour, const int axis) const
{
  const Index   s = grid.stride(axis);
  const Vector &m = colour.mass[axis].values, &leader = colour.leader[axis].values;
  CellArray    &u = colour.velocity[axis];
  grid.exchange(u);
  grid.for_faces(axis, [&](const Index c) {
    if (leader(c) != 0.)
      u.values(c) = u.values(leader(c) > 0. ? c + s : c - s);
    colour.momentum[axis].values(c) = m(c) > empty_density ? grid.open(axis)(c) * m(c) * u.values(c) : 0.;
  });
  grid.exchange(u);
}

/// θ_k, mass and momentum of Φ.
void ColouredImpact::join(std::vector<Colour> &colours)
{
  for (int axis = 0; axis < grid.dim(); ++axis)
    {
      CellArray response = grid.array();
      response.values    = grid.capacity(axis);
      grid.for_faces(axis, [&](const Index c) {
        double held = 0., by_itself = 0., w = 0., flux = 0., lost = 0.;
        for (std::size_t k = 0; k < colours.size(); ++k)
          {
            held += colours[k].share[axis].values(c);
            by_itself += moved[k][axis].values(c);
          }
        for (std::size_t k = 0; k < colours.size(); ++k)
          {
            const double m    = moved[k][axis].values(c);
            double      &part = parts[k][axis].values(c);
            part              = held > 0. ? colours[k].share[axis].values(c) : by_itself > 0. ? m / by_itself : 0.;
            if (part > 0.)
              {
                const double resistance = colours[k].resistance[axis].values(c);
                w += part * part / (m * resistance);
                lost += part * (1. - 1. / resistance);
                flux += part * colours[k].velocity[axis].values(c);
              }
          }
        response.values(c)       = grid.capacity(axis)(c) * (1. - lost);
        mass[axis].values(c)     = w > 0. ? 1. / w : 0.;
        momentum[axis].values(c) = w > 0. ? flux / w : 0.;
      });
      grid.exchange(mass[axis]);
      grid.exchange(response);
      given[axis] = response.values;
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

convex::Impact ColouredImpact::apply(std::vector<Colour> &colours, const CellArray &rho, const CellArray &rho_max,
                                     const ImpactLaw &law, CellArray &q)
{
  set_shares(grid, colours);
  lead(colours);
  join(colours);
  CellArray zone = full_cells(grid, rho, rho_max, grid.dim() == 1 ? closed_on_line : closed);
  leave_free_cells(zone);
  const convex::Effort before = grid.dim() > 1 ? settle_light_faces(zone, law, q) : convex::Effort{};
  convex::Impact       impact = apply_impact_law(grid, zone, mass, grid.capacities(), law, momentum, q);
  if (impact.effort.n_projections == 0)
    return impact;
  impact.effort.n_projections += before.n_projections;
  impact.effort.n_iterations += before.n_iterations;
  for (int axis = 0; axis < grid.dim(); ++axis)
    {
      const Index  s     = grid.stride(axis);
      const double per_h = 1. / grid.box().h(axis);
      for (std::size_t k = 0; k < colours.size(); ++k)
        {
          if (colours[k].is_empty)
            continue;
          grid.for_faces(axis, [&](const Index c) {
            if (const double part = parts[k][axis].values(c); part > 0.)
              colours[k].velocity[axis].values(c) -= part /
                                                     (moved[k][axis].values(c) * colours[k].resistance[axis].values(c)) *
                                                     (grid.capacity(axis)(c) * (q.values(c) - q.values(c - s)) * per_h);
          });
          follow(colours[k], axis);
        }
    }
  return impact;
}
} // namespace moreau::macro
