// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/flow/coloured_flow.h"

#include "convex/input_error.h"
#include "macro/flow/body_history.h"
#include "macro/flow/edges.h"
#include "macro/flow/flow_state.h"
#include "macro/flow/initial_bodies.h"
#include "macro/flow/sides.h"
#include "macro/flow/step_length.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace moreau::macro
{
ColouredFlow::ColouredFlow(const FlowGrid &grid, const FlowSetting &setting, const Inflow &inflow, MassStep &mass,
                           const CellArray &rho, const TwoBodies &two)
    : grid(grid)
    , setting(setting)
    , inflow(inflow)
    , two(two)
    , mass_step(grid, setting, mass)
    , impact(grid)
    , box(grid, setting.rho_max)
    , bodies(box, static_cast<bool>(setting.force))
{
  check();
  all = initial_colours(box, setting, rho, two, Bodies::most_colours + 1);
  recolour(0.);
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
          forces.emplace_back(colour.grid(), setting);
          if (!colour.is_empty)
            forces.back().evaluate(t, colour.velocity, colour.mass, speed);
        }
      if (colour.is_empty)
        continue;
      const FlowForce &force = force_of(k, common);
      least = std::min(least, longest_step_of(colour.grid(), setting.cfl, colour.rho, colour.velocity, force));
      if (force.growth() > 0.)
        least = std::min(least, setting.cfl / force.growth());
    }
  return least;
}

double ColouredFlow::until_contact(const double h, const FlowForce &common) const
{
  std::vector<const FlowForce *> f;
  for (std::size_t k = 0; k < all.size() && setting.force; ++k)
    f.push_back(&force_of(k, common));
  return bodies.until_contact(all, h, f);
}

Vector ColouredFlow::push(const double h, const FlowForce &common, const CellArray &rho, FaceCells &taken)
{
  Vector          given = Vector::Zero(grid.dim());
  const CellArray full  = full_cells(grid, rho, setting.rho_max);
  for (int axis = 0; axis < grid.dim(); ++axis)
    {
      double of_axis = 0.;
      for (std::size_t k = 0; k < all.size(); ++k)
        {
          Colour &colour = all[k];
          if (colour.is_empty)
            continue;
          const FlowGrid  &tiles = colour.grid();
          const FlowForce &of_it = force_of(k, common);
          const Vector    &force = of_it.values()[axis].values, &drag = of_it.drag()[axis].values;
          const Vector    &r = colour.rho.values, &m = colour.mass[axis].values, &open = tiles.open(axis);
          const bool       is_apart = &of_it.flow_grid() != &tiles; // a force in all cells
          const Index      s = tiles.stride(axis), s_all = grid.stride(axis), s_force = is_apart ? s_all : s;
          tiles.for_faces_in_whole(axis, [&](const Index c, const Index face) {
            const Index f = is_apart ? face : c;
            // whether the force presses what lies in a full cell against its closed face, and it does not leave it in this
            // step; cells and faces are counted from here
            const auto rests = [&](const Index cell, const Index closed, const Index other) {
              const double to_wall = closed == cell ? -1. : 1.;
              return full.values(face + cell * s_all) > 0. && to_wall * force(f + closed * s_force) > 0. &&
                     to_wall * (colour.velocity[axis].values(c + other * s) + h * force(f + other * s_force)) > 0.;
            };
            const bool   ends                 = face + s_all >= grid.size();
            const double resistance           = 1. + h * drag(f);
            colour.resistance[axis].values(c) = resistance;
            double mass                       = 0.;
            if (open(c) == 0.)
              {
                if (!ends && r(c) > 0. && rests(0, 0, 1))
                  taken[axis].values(face) += .5 * h * r(c) * force(f);
                if (r(c - s) > 0. && rests(-1, 0, -1))
                  taken[axis].values(face) += .5 * h * r(c - s) * force(f);
              }
            else if (m(c) > empty_density)
              {
                mass = m(c);
                if (open(c - s) == 0. && rests(-1, -1, 0))
                  mass -= (tiles.share_below(axis)(c) - .5) * r(c - s);
                if (!ends && open(c + s) == 0. && rests(0, 1, 0))
                  mass -= (tiles.share_above(axis)(c) - .5) * r(c);
              }
            colour.pushed[axis].values(c) = h * mass * force(f) / resistance;
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
    if (!colour.is_empty && setting.force)
      work += macro::half_work(colour.grid(), colour.pushed, colour.mass, colour.velocity, colour.driven);
  return work;
}

double ColouredFlow::amount_pushed() const
{
  double sum = 0.;
  for (const Colour &colour : all)
    sum += colour.is_empty ? 0. : absolute_sum(colour.grid(), colour.pushed);
  return sum;
}

void ColouredFlow::move_together()
{
  impact.lead(all);
  for (Colour &colour : all)
    for (int axis = 0; axis < grid.dim() && !colour.is_empty && colour.is_under_force(); ++axis)
      colour.driven[axis].values = colour.velocity[axis].values;
}

Vector ColouredFlow::move_momentum(const double h, FaceCells &taken)
{
  Vector         given   = Vector::Zero(grid.dim());
  const AllSides nothing = inflow.nothing();
  inflow.set_velocities(all.front().grid(), all.front().mass, all.front().velocity);
  for (Colour &colour : all)
    {
      if (colour.is_empty)
        continue;
      const FlowGrid &tiles  = colour.grid();
      const bool      enters = &colour == &all.front();
      given +=
          transport_momentum(tiles, colour.flux, colour.velocity, enters ? inflow.values() : nothing, h, colour.momentum);
      given += stop_at_closed_faces(tiles, colour.momentum, taken);
      std::swap(colour.rho.values, colour.after.values);
      if (two.are_there())
        carry_share(tiles, colour.flux, h, colour.after, colour.first);
      std::swap(colour.mass, colour.mass_before);
      dual_densities(tiles, colour.rho, colour.mass);
      if (setting.velocity == CarriedVelocity::energy_limited)
        velocity_flux.correct(tiles, colour.flux, colour.velocity, colour.mass_before, colour.mass, h, colour.momentum);
      for (int axis = 0; axis < grid.dim(); ++axis)
        tiles.for_faces(axis, [&](const Index c) {
          if (!(colour.mass[axis].values(c) > empty_density))
            colour.momentum[axis].values(c) = 0.;
        });
    }
  Colour &mixture = all.front();
  if (mixture.is_empty)
    return given;
  return given + join_edges(mixture.grid(), mixture.rho, mixture.mass, mixture.momentum, taken);
}

void ColouredFlow::recolour(const double t)
{
  bodies.recolour(all, t);
  forces.clear();            // of tiles that may not be there any more
  for (Colour &colour : all) // as when a state is restored
    {
      colour.fit(&colour == &all.front() && !grid.inflow_sides().empty());
      if (colour.is_empty)
        continue;
      colour.grid().exchange(colour.rho);
      colour.find_velocities();
      if (!two.are_there())
        continue;
      colour.grid().exchange(colour.first);
      extend_share(colour.grid(), colour.rho, empty_density, colour.first);
    }
  if (grid.dim() > 1)
    {
      constexpr double even = 1e-7; // of the largest speed
      bodies.even_out(all, even * grid.largest(largest_speed()));
      for (Colour &colour : all)
        for (int axis = 0; axis < grid.dim() && !colour.is_empty; ++axis)
          colour.grid().exchange(colour.velocity[axis]);
    }
  set_shares(grid, all);
}

void ColouredFlow::add_up(CellArray &rho) const
{
  rho.values.setZero();
  for (const Colour &colour : all)
    colour.grid().for_cells_in_whole([&](const Index c, const Index cell) { rho.values(cell) += colour.rho.values(c); });
  grid.exchange(rho);
}

void ColouredFlow::add_up(FaceCells &momentum) const
{
  for (int axis = 0; axis < grid.dim(); ++axis)
    {
      momentum[axis].values.setZero();
      for (const Colour &colour : all)
        colour.grid().for_faces_in_whole(
            axis, [&](const Index c, const Index face) { momentum[axis].values(face) += colour.momentum[axis].values(c); });
    }
}

void ColouredFlow::add_to(std::vector<BodySums> &two_bodies) const
{
  for (const Colour &colour : all)
    if (!colour.is_empty)
      add_to_bodies(colour.grid(), colour.rho, colour.first, colour.velocity, two_bodies);
}

double ColouredFlow::kinetic_energy() const
{
  double twice = 0.;
  for (const Colour &colour : all)
    for (int axis = 0; axis < grid.dim() && !colour.is_empty; ++axis)
      colour.grid().for_faces(
          axis, [&](const Index c) { twice += colour.momentum[axis].values(c) * colour.velocity[axis].values(c); });
  return .5 * twice;
}

double ColouredFlow::largest_speed() const
{
  double most = 0.;
  for (const Colour &colour : all)
    for (int axis = 0; axis < grid.dim() && !colour.is_empty; ++axis)
      colour.grid().for_faces(axis,
                              [&](const Index c) { most = std::max(most, std::abs(colour.velocity[axis].values(c))); });
  return most;
}

CellArray ColouredFlow::in_mixture(const CellArray &q, const CellArray &rho) const
{
  CellArray     result  = grid.array();
  const Colour &mixture = all.front();
  mixture.grid().for_cells_in_whole([&](const Index c, const Index cell) {
    if (mixture.rho.values(c) > .5 * rho.values(cell))
      result.values(cell) = q.values(cell);
  });
  grid.exchange(result);
  return result;
}

CellArray ColouredFlow::momentum_of_cells(const int axis) const
{
  CellArray sum = grid.array();
  for (const Colour &colour : all)
    {
      const FlowGrid &tiles = colour.grid();
      const Index     s     = tiles.stride(axis);
      const Vector   &u     = colour.velocity[axis].values;
      tiles.for_cells_in_whole([&](const Index c, const Index cell) {
        sum.values(cell) +=
            colour.rho.values(c) * (tiles.share_above(axis)(c) * u(c) + tiles.share_below(axis)(c + s) * u(c + s));
      });
    }
  return sum;
}

void ColouredFlow::move_rebounds_of_mixture(ReboundCount &rebounds, const double h) const
{
  if (rebounds.most() == 0)
    return;
  const Colour &mixture = all.front();
  CellArray     rho     = grid.array();
  FaceCells     flux;
  mixture.grid().for_cells_in_whole([&](const Index c, const Index cell) { rho.values(cell) = mixture.rho.values(c); });
  for (int axis = 0; axis < grid.dim(); ++axis)
    {
      flux[axis] = rho;
      flux[axis].values.setZero();
      mixture.grid().for_faces_in_whole(
          axis, [&](const Index c, const Index face) { flux[axis].values(face) = mixture.flux[axis].values(c); });
      grid.exchange(flux[axis]);
    }
  rebounds.move(flux, h, rho);
}

namespace
{
constexpr const char *colours_in_state = "colours", *tiles_in_state = "tiles";

std::string of_colour(const std::string &name, const std::size_t k) { return name + " of colour " + std::to_string(k); }

/// f(name, array) for what a state holds of a colour. two: whether bodies are followed.
template <class SomeColour, class F>
void for_arrays_of_state(SomeColour &colour, const std::size_t k, const bool two, F &&f)
{
  f(of_colour("rho", k), colour.rho.values);
  if (two)
    f(of_colour("first body", k), colour.first.values);
  for (int axis = 0; axis < colour.grid().dim(); ++axis)
    {
      const std::string of_axis = "_" + std::to_string(axis);
      f(of_colour("momentum" + of_axis, k), colour.momentum[axis].values);
      if (colour.grid().dim() > 1) // bodies have one velocity to the last digit, which momenta do not give back
        f(of_colour("velocity" + of_axis, k), colour.velocity[axis].values);
    }
}
} // namespace

void ColouredFlow::put_into(convex::NamedArrays &state) const
{
  state.integers[colours_in_state] = {static_cast<std::int64_t>(all.size())};
  macro::put_into(state, bodies.counts());
  for (std::size_t k = 0; k < all.size(); ++k)
    {
      const Tiles               &tiles   = all[k].grid().tiles();
      std::vector<std::int64_t> &numbers = state.integers[of_colour(tiles_in_state, k)];
      for (const Tiles::Block &block : tiles.blocks())
        numbers.push_back(block.tile);
      for_arrays_of_state(all[k], k, two.are_there(), [&](const std::string &name, const Vector &values) {
        std::vector<double> &kept = state.reals[name]; // tile by tile, with ghosts
        for (const Tiles::Block &block : tiles.blocks())
          kept.insert(kept.end(), values.data() + block.begin, values.data() + block.begin + tiles.volume_with_ghosts());
      });
    }
}

void ColouredFlow::take_from(const convex::NamedArrays &state)
{
  const std::vector<std::int64_t> n = integers_of(state, colours_in_state);
  if (n.size() != 1 || n[0] < 1)
    throw_other_flow();
  const BodyCounts counts = body_counts_of(state);
  all.clear();
  forces.clear();
  for (std::size_t k = 0; k < static_cast<std::size_t>(n[0]); ++k)
    {
      all.emplace_back(grid, static_cast<bool>(setting.force));
      const std::vector<std::int64_t> numbers = integers_of(state, of_colour(tiles_in_state, k));
      const Tiles                    &tiles   = all[k].grid().tiles();
      for (std::size_t at = 0; at < numbers.size(); ++at)
        if (numbers[at] < 0 || numbers[at] >= tiles.n_tiles() || (at > 0 && numbers[at] <= numbers[at - 1]))
          throw_other_flow();
      all[k].add_tiles({numbers.begin(), numbers.end()});
      const auto read = [&](const std::string &name, Vector &values) {
        const std::vector<double> &kept = reals_of(state, name);
        if (static_cast<Index>(kept.size()) != tiles.volume_with_ghosts() * static_cast<Index>(numbers.size()))
          throw_other_flow();
        const double *from = kept.data();
        for (const Tiles::Block &block : tiles.blocks())
          {
            std::copy_n(from, tiles.volume_with_ghosts(), values.data() + block.begin);
            from += tiles.volume_with_ghosts();
          }
      };
      all[k].prepare();
      for_arrays_of_state(all[k], k, two.are_there(), read);
      const FaceCells velocity = all[k].velocity;
      all[k].find_velocities();
      if (grid.dim() > 1)
        all[k].velocity = velocity;
      all[k].find_whether_empty();
    }
  bodies.find(all);
  set_shares(grid, all);
  bodies.set_counts(counts);
}
} // namespace moreau::macro
