// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/flow/colour.h"

#include <algorithm>

namespace moreau::macro
{
Colour::Colour(const FlowGrid &grid) : rho(grid.array()), after(grid.array())
{
  for (FaceCells *const faces : {&momentum, &velocity, &mass, &mass_before, &pushed, &flux, &share, &leader, &crossing})
    faces->fill(grid.array());
  for (int axis = 0; axis < grid.dim(); ++axis)
    {
      resistance[axis] = grid.array();
      resistance[axis].values.setOnes();
    }
}

void Colour::find_velocities(const FlowGrid &grid)
{
  dual_densities(grid, rho, mass);
  face_velocities(grid, momentum, mass, velocity);
}

void Colour::find_whether_empty(const FlowGrid &grid, const bool enters)
{
  const bool was_empty = is_empty;
  double     most      = rho.values.lpNorm<Eigen::Infinity>();
  for (int axis = 0; axis < grid.dim(); ++axis)
    most = std::max(most, momentum[axis].values.lpNorm<Eigen::Infinity>());
  is_empty = !enters && grid.largest(most) == 0.;
  if (!is_empty || was_empty)
    return;
  after.values.setZero();
  for (FaceCells *const faces : {&velocity, &mass, &mass_before, &pushed, &flux, &share, &leader, &crossing})
    for (int axis = 0; axis < grid.dim(); ++axis)
      (*faces)[axis].values.setZero();
}

void set_shares(const FlowGrid &grid, std::vector<Colour> &colours)
{
  // a density, far above by how much rows of a flat edge differ after some impacts; a share of what all have on the face
  const double     nothing = grid.dim() == 1 ? 1e-9 : 1e-6;
  constexpr double crumb   = .01;
  for (int axis = 0; axis < grid.dim(); ++axis)
    {
      const Index   s    = grid.stride(axis);
      const Vector &open = grid.open(axis);
      grid.for_faces(axis, [&](const Index c) {
        double     all = 0., held = 0.;
        const auto on_both_sides = [&](const Colour &colour) {
          return open(c) > 0. ? std::max(0., std::min(colour.rho.values(c - s), colour.rho.values(c))) : 0.;
        };
        for (const Colour &colour : colours)
          all += colour.is_empty ? 0. : on_both_sides(colour);
        if (!(all > 0.))
          {
            for (Colour &colour : colours)
              colour.share[axis].values(c) = 0.;
            return;
          }
        for (Colour &colour : colours)
          {
            const double both            = on_both_sides(colour);
            colour.share[axis].values(c) = both > nothing && both >= crumb * all ? both : 0.;
            held += colour.share[axis].values(c);
          }
        for (Colour &colour : colours)
          if (held > 0.)
            colour.share[axis].values(c) /= held;
      });
      for (Colour &colour : colours)
        {
          if (colour.is_empty)
            continue;
          const Vector &r = colour.rho.values, &m = colour.mass[axis].values;
          Vector       &share = colour.share[axis].values, &leader = colour.leader[axis].values;
          grid.exchange(colour.share[axis]);
          grid.for_faces(axis, [&](const Index c) {
            leader(c) = 0.;
            if (open(c) == 0. || share(c) > 0. || !(m(c) > empty_density))
              return;
            const double inwards = r(c) >= r(c - s) ? 1. : -1.;
            const Index  next    = inwards > 0. ? c + s : c - s;
            if (share(next) > 0.)
              leader(c) = inwards;
          });
          for (const int side : {2 * axis, 2 * axis + 1}) // what enters has a velocity of its own
            if (&colour == &colours.front() && grid.side(side) == Boundary::inflow)
              grid.for_side(side, [&](const Index face, Index, const CellIndex &) { leader(face) = 0.; });
          grid.exchange(colour.leader[axis]);
        }
    }
}

void add_up(const FlowGrid &grid, const std::vector<Colour> &colours, CellArray &rho, FaceCells &momentum)
{
  rho.values.setZero();
  for (const Colour &colour : colours)
    rho.values += colour.rho.values;
  for (int axis = 0; axis < grid.dim(); ++axis)
    {
      momentum[axis].values.setZero();
      for (const Colour &colour : colours)
        momentum[axis].values += colour.momentum[axis].values;
    }
}
} // namespace moreau::macro
