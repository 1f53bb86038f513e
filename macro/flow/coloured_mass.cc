// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/flow/coloured_mass.h"

#include <algorithm>
#include <cmath>

namespace moreau::macro
{
ColouredMassStep::ColouredMassStep(const FlowGrid &grid, const FlowSetting &setting, MassStep &mass)
    : grid(grid), setting(setting), mass(mass), mass_flux(grid, setting.flux), room(grid.array()), incoming(grid.array())
{
  predicted.fill(grid.array());
  rest.fill(grid.array());
}

convex::Effort ColouredMassStep::advance(std::vector<Colour> &colours, const CellArray &rho, const Inflow &inflow,
                                         const double h, const double speed_scale, FaceCells &flux, CellArray &after)
{
  const AllSides nothing = inflow.nothing();
  for (Colour &colour : colours)
    {
      if (colour.is_empty)
        continue;
      const bool enters = &colour == &colours.front();
      mass_flux.predict(colour.rho, colour.velocity, enters ? inflow.values() : nothing, h, colour.flux);
      for (int axis = 0; axis < grid.dim(); ++axis)
        grid.exchange(colour.flux[axis]);
    }
  keep_to_room(colours, h);
  for (int axis = 0; axis < grid.dim(); ++axis)
    {
      predicted[axis].values.setZero();
      for (const Colour &colour : colours)
        if (!colour.is_empty)
          predicted[axis].values += colour.flux[axis].values;
    }
  const convex::Effort effort = mass.congest(rho, predicted, h, speed_scale, flux, after);
  cancel(colours, flux);
  pass_on(colours, h);
  for (Colour &colour : colours)
    {
      if (colour.is_empty)
        continue;
      for (int axis = 0; axis < grid.dim(); ++axis)
        grid.exchange(colour.flux[axis]);
      negative_divergence(grid, colour.flux, colour.after);
      grid.for_cells([&](const Index c) { colour.after.values(c) = colour.rho.values(c) + h * colour.after.values(c); });
      grid.exchange(colour.after);
    }
  return effort;
}

void ColouredMassStep::keep_to_room(std::vector<Colour> &colours, const double h)
{
  const bool   is_line = grid.dim() == 1; // where contacts are points, and a cell is held or not
  const double mine = is_line ? 1e-12 : .05, of_others = is_line ? 1e-12 : .05;
  double       n_crossing = 0.;
  for (Colour &colour : colours)
    for (int axis = 0; axis < grid.dim() && !colour.is_empty; ++axis)
      {
        const Index s = grid.stride(axis);
        grid.for_faces(axis, [&](const Index c) {
          const double g    = colour.flux[axis].values(c);
          const Index  into = g > 0. ? c : c - s;
          double       all  = 0.;
          for (const Colour &other : colours)
            all += other.rho.values(into);
          const double own                = colour.rho.values(into);
          const bool   is                 = g != 0. && own <= mine && all - own > of_others;
          colour.crossing[axis].values(c) = is;
          n_crossing += is;
        });
        grid.exchange(colour.crossing[axis]);
      }
  if (grid.sum(n_crossing) == 0.)
    return;

  // room: what is left of the cell when all but the crossing fluxes have moved
  room.values.setZero();
  incoming.values.setZero();
  grid.for_cells([&](const Index c) {
    double taken = 0.;
    for (const Colour &colour : colours)
      {
        double after = colour.rho.values(c);
        for (int axis = 0; axis < grid.dim(); ++axis)
          {
            const Vector &g = colour.flux[axis].values, &crosses = colour.crossing[axis].values;
            const Index   above = c + grid.stride(axis);
            const double  per_h = h / grid.box().h(axis);
            after += per_h * ((1. - crosses(c)) * g(c) - (1. - crosses(above)) * g(above));
            incoming.values(c) += per_h * (crosses(c) * std::max(g(c), 0.) + crosses(above) * std::max(-g(above), 0.));
          }
        taken += std::clamp(after, 0., setting.rho_max.values(c));
      }
    const double left = std::max(0., setting.rho_max.values(c) - taken);
    room.values(c)    = incoming.values(c) > left ? left / incoming.values(c) : 1.;
  });
  grid.exchange(room);
  for (Colour &colour : colours)
    for (int axis = 0; axis < grid.dim(); ++axis)
      {
        const Index s = grid.stride(axis);
        grid.for_faces(axis, [&](const Index c) {
          double &g = colour.flux[axis].values(c);
          if (colour.crossing[axis].values(c) > 0.)
            g *= room.values(g > 0. ? c : c - s);
        });
        grid.exchange(colour.flux[axis]);
      }
}

/// -∇π cancels fluxes against it, crossing ones first, then all in proportion.
void ColouredMassStep::cancel(std::vector<Colour> &colours, const FaceCells &flux)
{
  for (int axis = 0; axis < grid.dim(); ++axis)
    {
      grid.for_faces(axis, [&](const Index c) {
        const double push = flux[axis].values(c) - predicted[axis].values(c);
        double       left = std::abs(push);
        for (const bool crossing_only : {true, false})
          {
            double against = 0.;
            for (const Colour &colour : colours)
              if (colour.flux[axis].values(c) * push < 0. && (!crossing_only || colour.crossing[axis].values(c) > 0.))
                against += std::abs(colour.flux[axis].values(c));
            if (!(against > 0.))
              continue;
            const double cancelled = std::min(left, against), kept = 1. - cancelled / against;
            for (Colour &colour : colours)
              if (colour.flux[axis].values(c) * push < 0. && (!crossing_only || colour.crossing[axis].values(c) > 0.))
                colour.flux[axis].values(c) *= kept;
            left -= cancelled;
          }
        rest[axis].values(c) = push > 0. ? left : -left;
      });
      grid.exchange(rest[axis]);
      for (Colour &colour : colours)
        grid.exchange(colour.flux[axis]);
    }
}

/// From cell to cell down the slope of π, so that what came into a cell is known when it is passed on.
void ColouredMassStep::pass_on(std::vector<Colour> &colours, const double h)
{
  const Vector      &pi = mass.impulse().values;
  std::vector<Index> cells;
  grid.for_cells([&](const Index c) {
    if (pi(c) > 0.)
      cells.push_back(c);
  });
  std::stable_sort(cells.begin(), cells.end(), [&](const Index a, const Index b) { return pi(a) > pi(b); });
  if (grid.box().processes.size() > 1)
    return pass_on_across_processes(std::move(cells), colours, h);
  for (const Index c : cells)
    pass_on_from(c, colours, h);
}

/// In rounds: a cell waits for those that pass something on to it. What a cell gives depends on what came into it alone, so
/// that all is as on one process.
void ColouredMassStep::pass_on_across_processes(std::vector<Index> cells, std::vector<Colour> &colours, const double h)
{
  const int   last    = grid.box().last_axis();
  const Index s       = grid.stride(last);
  CellArray   waiting = grid.array();
  for (const Index c : cells)
    waiting.values(c) = 1.;
  grid.exchange(waiting);
  for (double n_left = grid.sum(static_cast<double>(cells.size())), before = 0.; n_left > 0.;)
    {
      const bool         is_stuck = n_left == before; // π of two cells that differs by rounding, or a cell beyond a ring
      std::vector<Index> later;
      CellArray          passed = grid.array();
      for (const Index c : cells)
        if (!is_stuck && hears_from(c, waiting))
          later.push_back(c);
        else
          {
            pass_on_from(c, colours, h);
            waiting.values(c) = 0.;
            if (rest[last].values(c + s) > 0.)
              passed.values(c) = 1.;
          }
      cells = std::move(later);
      send_upwards(passed, colours);
      grid.exchange(waiting);
      before = n_left;
      n_left = grid.sum(static_cast<double>(cells.size()));
    }
}

/// Whether a cell that still waits will pass something on to this one.
bool ColouredMassStep::hears_from(const Index cell, const CellArray &waiting) const
{
  for (int axis = 0; axis < grid.dim(); ++axis)
    {
      const Index s = grid.stride(axis);
      if ((rest[axis].values(cell) > 0. && waiting.values(cell - s) > 0.) ||
          (rest[axis].values(cell + s) < 0. && waiting.values(cell + s) > 0.))
        return true;
    }
  return false;
}

/// Fluxes through the upper faces of cells that have passed something on there, to the process that computes these faces.
void ColouredMassStep::send_upwards(const CellArray &passed, std::vector<Colour> &colours) const
{
  const int   last     = grid.box().last_axis();
  const Index s        = grid.stride(last);
  CellArray   has_sent = passed, value = grid.array();
  grid.exchange(has_sent);
  for (Colour &colour : colours)
    {
      Vector &g = colour.flux[last].values;
      grid.for_cells([&](const Index c) { value.values(c) = g(c + s); });
      grid.exchange(value);
      grid.for_cells([&](const Index c) {
        if (has_sent.values(c - s) > 0.)
          g(c) = value.values(c - s);
      });
      grid.exchange(colour.flux[last]);
    }
}

void ColouredMassStep::pass_on_from(const Index cell, std::vector<Colour> &colours, const double h)
{
  struct Way
  {
    int    axis;
    Index  face; ///< the one that is computed: where an axis is periodic the last face is the first
    double sign, amount, per_h, weight;
  };
  std::vector<Way> ways;
  for (int axis = 0; axis < grid.dim(); ++axis)
    {
      const Index  s = grid.stride(axis), above = cell + s;
      const double per_h = h / grid.box().h(axis);
      if (const double r = rest[axis].values(cell); r < 0.)
        ways.push_back({axis, cell, -1., -r * per_h, per_h, grid.outflow_weight(axis)(cell)});
      if (const double r = rest[axis].values(above); r > 0.)
        ways.push_back({axis, grid.computed_face(axis, above), 1., r * per_h, per_h, grid.outflow_weight(axis)(above)});
    }
  if (ways.empty())
    return;

  const std::size_t   n = colours.size();
  std::vector<double> left(n), came(n, 0.); // of the start, less what leaves already; from outside
  for (std::size_t k = 0; k < n; ++k)
    {
      left[k] = colours[k].rho.values(cell);
      for (int axis = 0; axis < grid.dim(); ++axis)
        {
          const Vector &g = colours[k].flux[axis].values, &weight = grid.outflow_weight(axis);
          const Index   above = cell + grid.stride(axis), top = grid.computed_face(axis, above);
          const double  per_h = h / grid.box().h(axis);
          left[k] -= per_h * (weight(cell) * std::max(-g(cell), 0.) + weight(above) * std::max(g(top), 0.));
          came[k] += per_h * (std::max(g(cell), 0.) + std::max(-g(top), 0.));
        }
      left[k] = std::max(left[k], 0.);
    }
  const auto give = [&](Way &way, const std::size_t k, const double amount) {
    colours[k].flux[way.axis].values(way.face) += way.sign * amount / way.per_h;
    way.amount -= amount;
  };
  for (Way &way : ways)
    {
      const double whole = way.amount;
      for (std::size_t k = 0; k < n; ++k)
        if (const double share = colours[k].share[way.axis].values(way.face); share > 0.)
          {
            const double amount = std::min({share * whole, left[k] / way.weight, way.amount});
            give(way, k, amount);
            left[k] = std::max(0., left[k] - way.weight * amount);
          }
    }
  for (std::vector<double> *const of : {&left, &came})
    for (Way &way : ways)
      {
        double available = 0.;
        for (const double part : *of)
          available += part / way.weight;
        const double whole = std::min(way.amount, available);
        for (std::size_t k = 0; k < n && whole > 0.; ++k)
          {
            const double amount = whole * ((*of)[k] / way.weight) / available;
            give(way, k, amount);
            (*of)[k] = std::max(0., (*of)[k] - way.weight * amount);
          }
      }
  for (Way &way : ways) // a rounding error of the solution
    {
      const auto most = std::max_element(colours.begin(), colours.end(), [&](const Colour &a, const Colour &b) {
        return a.rho.values(cell) < b.rho.values(cell);
      });
      give(way, static_cast<std::size_t>(most - colours.begin()), way.amount);
    }
}
} // namespace moreau::macro
