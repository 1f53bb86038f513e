// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/flow/two_bodies.h"

#include "macro/flow/transport.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>
#include <utility>

namespace moreau::macro
{
namespace
{
constexpr double noticed = 1e-6; ///< a density: thinner matter has too few digits for a velocity of its own

CellVelocity velocity(const FlowGrid &grid, const CellArray &rho, const FaceCells &momentum, const Index c)
{
  CellVelocity u(grid.dim());
  for (int axis = 0; axis < grid.dim(); ++axis)
    u(axis) = momentum[axis].values(c) / rho.values(c);
  return u;
}

} // namespace

TwoBodies::TwoBodies(const FlowGrid &grid, const FlowSetting &setting, const CellArray &rho) : grid(grid)
{
  if (grid.dim() == 1 || !find_velocities(setting, rho)) // the same on all processes
    return;
  CellArray share = grid.array();
  bool      fits  = true;
  grid.for_cells([&](const Index c) {
    if (!(rho.values(c) > noticed))
      return;
    const CellVelocity u  = velocity(grid, rho, setting.momentum, c);
    const double       of = share_of_higher(u);
    share.values(c)       = of;
    fits                  = fits && (u - lower - of * (higher - lower)).cwiseAbs().maxCoeff() <= 2. * slack;
  });
  if (grid.largest(fits ? 0. : 1.) > 0.)
    return;
  grid.exchange(share);
  if (!are_shared_at_edges(rho, share))
    return;
  is_swapped = !is_first(rho, share);
  are_two    = true;
}

bool TwoBodies::find_velocities(const FlowSetting &setting, const CellArray &rho)
{
  // of a component, in cells that `counts` says; of all processes
  const auto range = [&](const int axis, const auto &counts) {
    double opposite = -std::numeric_limits<double>::infinity(), most = opposite;
    grid.for_cells([&](const Index c) {
      if (!(rho.values(c) > noticed))
        return;
      const CellVelocity u = velocity(grid, rho, setting.momentum, c);
      if (!counts(u))
        return;
      most     = std::max(most, u(axis));
      opposite = std::max(opposite, -u(axis));
    });
    return std::pair(-grid.largest(opposite), grid.largest(most));
  };
  constexpr double rounding = 1e-9;
  int              widest   = 0;
  higher = lower = CellVelocity::Zero(grid.dim());
  for (int axis = 0; axis < grid.dim(); ++axis)
    {
      std::tie(lower(axis), higher(axis)) = range(axis, [](const CellVelocity &) { return true; });
      slack = std::max(slack, rounding * std::max(std::abs(lower(axis)), std::abs(higher(axis))));
      if (higher(axis) - lower(axis) > higher(widest) - lower(widest))
        widest = axis;
    }
  if (!(higher(widest) - lower(widest) > slack)) // no matter, too
    return false;
  bool         are_narrow = true;
  const double most = higher(widest), least = lower(widest);
  for (int axis = 0; axis < grid.dim(); ++axis)
    for (CellVelocity *const end : {&higher, &lower})
      {
        const auto [from, to] = range(axis, [&](const CellVelocity &u) {
          return end == &higher ? u(widest) >= most - slack : u(widest) <= least + slack;
        });
        are_narrow            = are_narrow && to - from <= slack;
        (*end)(axis)          = to;
      }
  return are_narrow;
}

double TwoBodies::share_of_higher(const CellVelocity &u) const
{
  const CellVelocity between = higher - lower;
  return std::clamp((u - lower).dot(between) / between.squaredNorm(), 0., 1.);
}

/// Whether cells that both bodies share touch cells of either.
bool TwoBodies::are_shared_at_edges(const CellArray &rho, const CellArray &share) const
{
  const auto is_of = [&](const double value) {
    return [&, value](const Index c) { return rho.values(c) > noticed && std::abs(share.values(c) - value) <= noticed; };
  };
  bool all = true;
  grid.for_cells([&](const Index c) {
    const double value = share.values(c);
    if (rho.values(c) > noticed && std::min(value, 1. - value) > noticed)
      all = all && grid.any_touching(c, is_of(0.)) && grid.any_touching(c, is_of(1.));
  });
  return grid.largest(all ? 0. : 1.) == 0.;
}

/// Whether the body with the share comes first.
bool TwoBodies::is_first(const CellArray &rho, const CellArray &share) const
{
  std::array<double, 2> masses  = {0., 0.};
  std::array<Vector, 2> centres = {Vector::Zero(grid.dim()), Vector::Zero(grid.dim())};
  grid.for_cell_rows([&](const Index row, const CellIndex &first, const Index n) {
    for (Index k = 0; k < n; ++k)
      for (const int body : {0, 1})
        {
          const double own  = share.values(row + k);
          const double mass = rho.values(row + k) * (body == 0 ? own : 1. - own);
          masses[body] += mass;
          for (int axis = 0; axis < grid.dim(); ++axis)
            centres[body](axis) += mass * static_cast<double>(moved(first, 0, k)[axis]);
        }
  });
  for (double &mass : masses)
    mass = grid.sum(mass);
  for (int axis = 0; axis < grid.dim(); ++axis)
    {
      constexpr double apart  = 1e-6; // cells
      const double     before = grid.sum(centres[0](axis)) / masses[0] - grid.sum(centres[1](axis)) / masses[1];
      if (std::abs(before) > apart)
        return before < 0.;
    }
  return true;
}

CellArray TwoBodies::share_of_first(const CellArray &rho, const FaceCells &momentum) const
{
  CellArray share = grid.array();
  grid.for_cells([&](const Index c) {
    if (!(rho.values(c) > noticed))
      return;
    const double of_higher = share_of_higher(velocity(grid, rho, momentum, c));
    share.values(c)        = is_swapped ? 1. - of_higher : of_higher;
  });
  grid.exchange(share);
  extend_share(grid, rho, noticed, share);
  return share;
}

void carry_share(const FlowGrid &grid, const FaceCells &flux, const double h, const CellArray &before, CellArray &share)
{
  const CellArray old = share;
  grid.for_cells([&](const Index c) {
    double     stayed = before.values(c), mass = 0., of_first = 0.;
    const auto take = [&](const Index donor, const double amount) {
      stayed -= std::max(0., -amount);
      mass += std::max(0., amount);
      of_first += std::max(0., amount) * old.values(donor);
    };
    for (int axis = 0; axis < grid.dim(); ++axis)
      {
        const Index  s     = grid.stride(axis);
        const double per_h = h / grid.box().h(axis);
        take(c - s, per_h * flux[axis].values(c));
        take(c + s, -per_h * flux[axis].values(c + s));
      }
    take(c, std::max(0., stayed));
    share.values(c) = mass > empty_density ? of_first / mass : 0.;
  });
  grid.exchange(share);
}

void extend_share(const FlowGrid &grid, const CellArray &rho, const double empty, CellArray &share)
{
  grid.for_cells([&](const Index c) {
    if (rho.values(c) > empty)
      return;
    double mass = 0., of_first = 0.;
    for (int axis = 0; axis < grid.dim(); ++axis)
      for (const Index beside : {c - grid.stride(axis), c + grid.stride(axis)})
        if (rho.values(beside) > empty)
          {
            mass += rho.values(beside);
            of_first += rho.values(beside) * share.values(beside);
          }
    share.values(c) = mass > 0. ? of_first / mass : 0.;
  });
  grid.exchange(share);
}

void add_to_bodies(const FlowGrid &grid, const CellArray &rho, const CellArray &share, const FaceCells &velocity,
                   std::vector<BodySums> &bodies)
{
  const BoxGrid &box = grid.box();
  const auto     add = [&](const Index c, const CellIndex &cell) {
    const double all = rho.values(c);
    if (!(all > 0.))
      return;
    const std::array<double, 2> masses = {all * share.values(c), all * (1. - share.values(c))};
    for (const int body : {0, 1})
      bodies[body].mass += masses[body];
    for (int axis = 0; axis < grid.dim(); ++axis)
      {
        const Index  above         = c + grid.stride(axis);
        const double of_lower_face = grid.share_above(axis)(c), of_upper_face = grid.share_below(axis)(above);
        const double u = velocity[axis].values(c), v = velocity[axis].values(above);
        for (const int body : {0, 1})
          {
            bodies[body].momentum(axis) += masses[body] * (of_lower_face * u + of_upper_face * v);
            bodies[body].first_moment(axis) +=
                masses[body] * (box.lower(axis) + (static_cast<double>(cell[axis]) + .5) * box.h(axis));
            bodies[body].energy += .5 * masses[body] * (of_lower_face * u * u + of_upper_face * v * v);
          }
      }
  };
  grid.for_cell_rows([&](const Index row, const CellIndex &first, const Index n) {
    for (Index k = 0; k < n; ++k)
      add(row + k, moved(first, 0, k));
  });
}

void sum_up(const FlowGrid &grid, std::vector<BodySums> &bodies)
{
  const double volume = grid.box().cell_volume();
  for (BodySums &body : bodies)
    {
      body.mass = volume * grid.sum(body.mass);
      for (Vector *const sums : {&body.momentum, &body.first_moment})
        for (double &component : *sums)
          component = volume * grid.sum(component);
      body.energy = volume * grid.sum(body.energy);
    }
}
} // namespace moreau::macro
