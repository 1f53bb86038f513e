// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/flow/coloured_flow.h"

#include "convex/input_error.h"
#include "convex/vectors.h"
#include "macro/flow/edges.h"
#include "macro/flow/initial_bodies.h"
#include "macro/flow/sides.h"
#include "macro/flow/step_length.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace moreau::macro
{
ColouredFlow::ColouredFlow(const FlowGrid &grid, const FlowSetting &setting, const Inflow &inflow, MassStep &mass,
                           const CellArray &rho)
    : grid(grid)
    , setting(setting)
    , inflow(inflow)
    , mass_step(grid, setting, mass)
    , impact(grid)
    , velocity_flux(grid)
    , box(grid, setting.rho_max)
    , bodies(box)
{
  check();
  all = initial_colours(box, setting, rho, Bodies::most_colours + 1);
  recolour();
}

void ColouredFlow::check() const
{
  if (setting.flux != DensityFlux::anti_diffusive)
    throw InputError("the bodies",
                     "'coloured' needs edges that stay within a cell, which the upwind flux of densities smears; "
                     "take the anti-diffusive one, or 'mixture'.");
}

double ColouredFlow::longest_step(const double t, const double speed, const FlowForce &common)
{
  double least = std::numeric_limits<double>::infinity();
  forces.clear();
  for (std::size_t k = 0; k < all.size(); ++k)
    {
      const Colour &colour = all[k];
      if (setting.force && setting.force_has_velocity)
        {
          forces.emplace_back(grid, setting);
          forces.back().evaluate(t, colour.velocity, colour.mass, speed);
        }
      if (colour.is_empty)
        continue;
      const FlowForce &force = force_of(k, common);
      least                  = std::min(least, longest_step_of(grid, setting.cfl, colour.rho, colour.velocity, force));
      if (force.growth() > 0.)
        least = std::min(least, setting.cfl / force.growth());
    }
  return least;
}

double ColouredFlow::until_contact(const double h, const FlowForce &common) const
{
  std::vector<const FaceCells *> f;
  for (std::size_t k = 0; k < all.size() && setting.force; ++k)
    f.push_back(&force_of(k, common).values());
  return bodies.until_contact(all, h, f);
}

Vector ColouredFlow::push(const double h, const FlowForce &common, const CellArray &rho, FaceCells &taken)
{
  Vector          given = Vector::Zero(grid.dim());
  const CellArray full  = full_cells(grid, rho, setting.rho_max);
  for (int axis = 0; axis < grid.dim(); ++axis)
    {
      const Index   s    = grid.stride(axis);
      const Vector &open = grid.open(axis);
      // whether the force presses what lies in a full cell against its closed face, and it does not leave it in this step
      const auto rests = [&](const Colour &colour, const Vector &force, const Index cell, const Index closed,
                             const Index other) {
        const double to_wall = closed == cell ? -1. : 1.;
        return full.values(cell) > 0. && to_wall * force(closed) > 0. &&
               to_wall * (colour.velocity[axis].values(other) + h * force(other)) > 0.;
      };
      double of_axis = 0.;
      for (std::size_t k = 0; k < all.size(); ++k)
        {
          Colour &colour = all[k];
          if (colour.is_empty)
            continue;
          const Vector &force = force_of(k, common).values()[axis].values, &drag = force_of(k, common).drag()[axis].values;
          const Vector &r = colour.rho.values, &m = colour.mass[axis].values;
          grid.for_faces(axis, [&](const Index c) {
            const double resistance           = 1. + h * drag(c);
            colour.resistance[axis].values(c) = resistance;
            double mass                       = 0.;
            if (open(c) == 0.)
              {
                if (c + s < grid.size() && r(c) > 0. && rests(colour, force, c, c, c + s))
                  taken[axis].values(c) += .5 * h * r(c) * force(c) / resistance;
                if (c >= s && r(c - s) > 0. && rests(colour, force, c - s, c, c - s))
                  taken[axis].values(c) += .5 * h * r(c - s) * force(c) / resistance;
              }
            else if (m(c) > empty_density)
              {
                mass = m(c);
                if (open(c - s) == 0. && rests(colour, force, c - s, c - s, c))
                  mass -= (grid.share_below(axis)(c) - .5) * r(c - s);
                if (c + s < grid.size() && open(c + s) == 0. && rests(colour, force, c, c + s, c))
                  mass -= (grid.share_above(axis)(c) - .5) * r(c);
              }
            colour.pushed[axis].values(c) = h * mass * force(c) / resistance;
            colour.momentum[axis].values(c) += colour.pushed[axis].values(c);
            of_axis += colour.pushed[axis].values(c);
          });
        }
      given(axis) = grid.sum(of_axis) * grid.box().cell_volume();
    }
  return given;
}

double ColouredFlow::half_work() const
{
  double work = 0.;
  for (const Colour &colour : all)
    for (int axis = 0; axis < grid.dim() && !colour.is_empty; ++axis)
      grid.for_faces(axis,
                     [&](const Index c) { work += .5 * colour.pushed[axis].values(c) * colour.velocity[axis].values(c); });
  return work;
}

Vector ColouredFlow::move_momentum(const double h, FaceCells &taken)
{
  Vector         given   = Vector::Zero(grid.dim());
  const AllSides nothing = inflow.nothing();
  inflow.set_velocities(all.front().mass, all.front().velocity);
  for (Colour &colour : all)
    {
      if (colour.is_empty)
        continue;
      const bool enters = &colour == &all.front();
      given +=
          transport_momentum(grid, colour.flux, colour.velocity, enters ? inflow.values() : nothing, h, colour.momentum);
      given += stop_at_closed_faces(grid, colour.momentum, taken);
      std::swap(colour.rho.values, colour.after.values);
      std::swap(colour.mass, colour.mass_before);
      dual_densities(grid, colour.rho, colour.mass);
      if (setting.velocity == CarriedVelocity::energy_limited)
        velocity_flux.correct(colour.flux, colour.velocity, colour.mass_before, colour.mass, h, colour.momentum);
      for (int axis = 0; axis < grid.dim(); ++axis)
        grid.for_faces(axis, [&](const Index c) {
          if (!(colour.mass[axis].values(c) > empty_density))
            colour.momentum[axis].values(c) = 0.;
        });
    }
  Colour &mixture = all.front();
  if (mixture.is_empty)
    return given;
  return given + join_edges(grid, mixture.rho, mixture.mass, mixture.momentum, taken);
}

bool ColouredFlow::may_enter(const Colour &colour) const
{
  if (&colour != &all.front())
    return false;
  for (int side = 0; side < 2 * grid.dim(); ++side)
    if (grid.side(side) == Boundary::inflow)
      return true;
  return false;
}

void ColouredFlow::recolour()
{
  bodies.recolour(all);
  for (Colour &colour : all) // as when a state is restored
    {
      colour.find_whether_empty(grid, may_enter(colour));
      if (colour.is_empty)
        continue;
      grid.exchange(colour.rho);
      colour.find_velocities(grid);
    }
  if (grid.dim() > 1)
    {
      constexpr double even = 1e-7; // of the largest speed
      bodies.even_out(all, even * grid.largest(largest_speed()));
      for (Colour &colour : all)
        for (int axis = 0; axis < grid.dim() && !colour.is_empty; ++axis)
          grid.exchange(colour.velocity[axis]);
    }
  set_shares(grid, all);
}

double ColouredFlow::kinetic_energy() const
{
  double twice = 0.;
  for (const Colour &colour : all)
    for (int axis = 0; axis < grid.dim() && !colour.is_empty; ++axis)
      grid.for_faces(axis,
                     [&](const Index c) { twice += colour.momentum[axis].values(c) * colour.velocity[axis].values(c); });
  return .5 * twice;
}

double ColouredFlow::largest_speed() const
{
  double most = 0.;
  for (const Colour &colour : all)
    for (int axis = 0; axis < grid.dim() && !colour.is_empty; ++axis)
      grid.for_faces(axis, [&](const Index c) { most = std::max(most, std::abs(colour.velocity[axis].values(c))); });
  return most;
}

CellArray ColouredFlow::in_mixture(const CellArray &q, const CellArray &rho) const
{
  CellArray     result  = q;
  const Vector &mixture = all.front().rho.values;
  grid.for_cells([&](const Index c) {
    if (mixture(c) <= .5 * rho.values(c))
      result.values(c) = 0.;
  });
  return result;
}

double ColouredFlow::momentum_of_cell(const Index cell, const int axis) const
{
  const Index above = cell + grid.stride(axis);
  double      sum   = 0.;
  for (const Colour &colour : all)
    sum += colour.rho.values(cell) * (grid.share_above(axis)(cell) * colour.velocity[axis].values(cell) +
                                      grid.share_below(axis)(above) * colour.velocity[axis].values(above));
  return sum;
}

namespace
{
constexpr const char *colours_in_state = "colours", *counts_in_state = "counts of bodies";

std::string of_colour(const std::string &name, const std::size_t k) { return name + " of colour " + std::to_string(k); }
std::string of_colour(const std::string &name, const std::size_t k, const int axis)
{
  return of_colour(name + "_" + std::to_string(axis), k);
}
} // namespace

void ColouredFlow::put_into(convex::NamedArrays &state) const
{
  state.integers[colours_in_state] = {static_cast<std::int64_t>(all.size())};
  const BodyCounts &n              = bodies.counts();
  state.integers[counts_in_state]  = {n.bodies, n.births, n.changes, n.deaths,     n.colours,
                                      n.thin,   n.joined, n.fused,   n.surrounded, n.changed};
  for (std::size_t k = 0; k < all.size(); ++k)
    {
      state.reals[of_colour("rho", k)] = convex::values(all[k].rho.values);
      for (int axis = 0; axis < grid.dim(); ++axis)
        {
          state.reals[of_colour("momentum", k, axis)] = convex::values(all[k].momentum[axis].values);
          if (grid.dim() > 1) // bodies have one velocity to the last digit, which momenta do not give back
            state.reals[of_colour("velocity", k, axis)] = convex::values(all[k].velocity[axis].values);
        }
    }
}

void ColouredFlow::take_from(const convex::NamedArrays &state)
{
  const auto n = state.integers.find(colours_in_state), counts = state.integers.find(counts_in_state);
  const auto read = [&](const std::string &name, Vector &values) {
    const auto found = state.reals.find(name);
    if (found == state.reals.end() || static_cast<Index>(found->second.size()) != values.size())
      throw std::invalid_argument("CongestedFlow: the state is that of another flow.");
    values = convex::vector(found->second);
  };
  if (n == state.integers.end() || n->second.size() != 1 || n->second[0] < 1 || counts == state.integers.end() ||
      counts->second.size() != 10)
    throw std::invalid_argument("CongestedFlow: the state is that of another flow.");
  all.clear();
  for (std::size_t k = 0; k < static_cast<std::size_t>(n->second[0]); ++k)
    {
      all.emplace_back(grid);
      read(of_colour("rho", k), all[k].rho.values);
      for (int axis = 0; axis < grid.dim(); ++axis)
        read(of_colour("momentum", k, axis), all[k].momentum[axis].values);
      all[k].find_velocities(grid);
      for (int axis = 0; axis < grid.dim() && grid.dim() > 1; ++axis)
        read(of_colour("velocity", k, axis), all[k].velocity[axis].values);
      all[k].find_whether_empty(grid, may_enter(all[k]));
    }
  bodies.find(all);
  set_shares(grid, all);
  const auto &c = counts->second;
  bodies.set_counts({c[0], c[1], c[2], c[3], c[4], c[5], c[6], c[8], c[7], c[9]});
}
} // namespace moreau::macro
