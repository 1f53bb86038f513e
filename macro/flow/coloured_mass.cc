// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/flow/coloured_mass.h"

#include <algorithm>
#include <cmath>

namespace moreau::macro
{
ColouredMassStep::ColouredMassStep(const FlowGrid &grid, const FlowSetting &setting, MassStep &mass)
    : grid(grid), setting(setting), mass(mass), mass_flux(setting.flux), rest(grid.faces()), room(grid.array())
{}

convex::Effort ColouredMassStep::advance(std::vector<Colour> &colours, const CellArray &rho, const Inflow &inflow,
                                         const double h, const double speed_scale, FaceCells &flux, CellArray &after)
{
  const AllSides nothing = inflow.nothing();
  for (Colour &colour : colours)
    {
      if (colour.is_empty)
        continue;
      const bool enters = &colour == &colours.front();
      mass_flux.predict(colour.grid(), colour.rho, colour.velocity, enters ? inflow.values() : nothing, h, colour.flux);
      for (int axis = 0; axis < grid.dim(); ++axis)
        colour.grid().exchange(colour.flux[axis]);
    }
  keep_to_room(colours, h);
  FaceCells &predicted = mass.predicted();
  for (int axis = 0; axis < grid.dim(); ++axis)
    {
      predicted[axis].values.setZero();
      for (const Colour &colour : colours)
        colour.grid().for_faces_in_whole(
            axis, [&](const Index c, const Index all) { predicted[axis].values(all) += colour.flux[axis].values(c); });
      grid.exchange(predicted[axis]);
    }
  const convex::Effort effort = mass.congest(rho, h, speed_scale, flux, after);
  cancel(colours, flux);
  pass_on(colours, h);
  for (Colour &colour : colours)
    {
      if (colour.is_empty)
        continue;
      const FlowGrid &tiles = colour.grid();
      for (int axis = 0; axis < grid.dim(); ++axis)
        tiles.exchange(colour.flux[axis]);
      negative_divergence(tiles, colour.flux, colour.after);
      tiles.for_cells([&](const Index c) { colour.after.values(c) = colour.rho.values(c) + h * colour.after.values(c); });
      tiles.exchange(colour.after);
    }
  return effort;
}

void ColouredMassStep::keep_to_room(std::vector<Colour> &colours, const double h)
{
  const bool   is_line = grid.dim() == 1; // where contacts are points, and a cell is held or not
  const double mine = is_line ? 1e-12 : .05, of_others = is_line ? 1e-12 : .05;
  double       n_crossing = 0.;
  for (int axis = 0; axis < grid.dim(); ++axis)
    {
      const Index s = colours.front().grid().stride(axis);
      for_faces_of(grid, colours, axis, [&](const std::vector<ColourInTile> &here, const Index in_tile, Index) {
        for (const ColourInTile &of : here)
          {
            const double g    = of.colour->flux[axis].values(of.begin + in_tile);
            const Index  into = g > 0. ? in_tile : in_tile - s;
            double       all  = 0.;
            for (const ColourInTile &other : here)
              all += other.colour->rho.values(other.begin + into);
            const double own                                     = of.colour->rho.values(of.begin + into);
            const bool   is                                      = g != 0. && own <= mine && all - own > of_others;
            of.colour->crossing[axis].values(of.begin + in_tile) = is;
            n_crossing += is;
          }
      });
      for (Colour &colour : colours)
        if (!colour.is_empty)
          colour.grid().exchange(colour.crossing[axis]);
    }
  if (grid.sum(n_crossing) == 0.)
    return;

  // room: what is left of the cell when all but the crossing fluxes have moved
  for_cells_of(grid, colours, [&](const std::vector<ColourInTile> &here, const Index in_tile, const Index cell) {
    double taken = 0., incoming = 0.;
    for (const ColourInTile &of : here)
      {
        const Index c     = of.begin + in_tile;
        double      after = of.colour->rho.values(c);
        for (int axis = 0; axis < grid.dim(); ++axis)
          {
            const Vector &g = of.colour->flux[axis].values, &crosses = of.colour->crossing[axis].values;
            const Index   above = c + of.colour->grid().stride(axis);
            const double  per_h = h / grid.box().h(axis);
            after += per_h * ((1. - crosses(c)) * g(c) - (1. - crosses(above)) * g(above));
            incoming += per_h * (crosses(c) * std::max(g(c), 0.) + crosses(above) * std::max(-g(above), 0.));
          }
        taken += std::clamp(after, 0., setting.rho_max.values(cell));
      }
    const double left = std::max(0., setting.rho_max.values(cell) - taken);
    room.values(cell) = incoming > left ? left / incoming : 1.;
  });
  grid.exchange(room);
  for (Colour &colour : colours)
    for (int axis = 0; axis < grid.dim() && !colour.is_empty; ++axis)
      {
        const Index s = grid.stride(axis);
        colour.grid().for_faces_in_whole(axis, [&](const Index c, const Index all) {
          double &g = colour.flux[axis].values(c);
          if (colour.crossing[axis].values(c) > 0.)
            g *= room.values(g > 0. ? all : all - s);
        });
        colour.grid().exchange(colour.flux[axis]);
      }
}

/// -∇π cancels fluxes against it, crossing ones first, then all in proportion.
void ColouredMassStep::cancel(std::vector<Colour> &colours, const FaceCells &flux)
{
  for (int axis = 0; axis < grid.dim(); ++axis)
    {
      rest[axis].values.setZero();
      for_faces_of(grid, colours, axis, [&](const std::vector<ColourInTile> &here, const Index in_tile, const Index face) {
        const double push = flux[axis].values(face) - mass.predicted()[axis].values(face);
        double       left = std::abs(push);
        for (const bool crossing_only : {true, false})
          {
            const auto is_against = [&](const ColourInTile &of) {
              const Index c = of.begin + in_tile;
              return of.colour->flux[axis].values(c) * push < 0. &&
                     (!crossing_only || of.colour->crossing[axis].values(c) > 0.);
            };
            double against = 0.;
            for (const ColourInTile &of : here)
              if (is_against(of))
                against += std::abs(of.colour->flux[axis].values(of.begin + in_tile));
            if (!(against > 0.))
              continue;
            const double cancelled = std::min(left, against), kept = 1. - cancelled / against;
            for (const ColourInTile &of : here)
              if (is_against(of))
                of.colour->flux[axis].values(of.begin + in_tile) *= kept;
            left -= cancelled;
          }
        rest[axis].values(face) = push > 0. ? left : -left;
      });
      grid.exchange(rest[axis]);
      for (Colour &colour : colours)
        if (!colour.is_empty)
          colour.grid().exchange(colour.flux[axis]);
    }
}

/// From cell to cell down the slope of π, so that what came into a cell is known when it is passed on.
void ColouredMassStep::pass_on(std::vector<Colour> &colours, const double h)
{
  far_away.clear();
  const CellArray       &pi = mass.impulse();
  std::vector<CellIndex> cells;
  for_own_cells(grid.box(), [&](const CellIndex &cell) {
    if (pi(cell) > 0.)
      cells.push_back(cell);
  });
  std::stable_sort(cells.begin(), cells.end(), [&](const CellIndex &a, const CellIndex &b) { return pi(a) > pi(b); });
  if (grid.box().processes.size() > 1)
    return pass_on_across_processes(std::move(cells), colours, h);
  for (const CellIndex &cell : cells)
    pass_on_from(cell, colours, h);
}

/// In rounds: a cell waits for those that pass something on to it. What a cell gives depends on what came into it alone, so
/// that all is as on one process.
void ColouredMassStep::pass_on_across_processes(std::vector<CellIndex> cells, std::vector<Colour> &colours, const double h)
{
  const int   last    = grid.box().last_axis();
  const Index s       = grid.stride(last);
  CellArray   waiting = grid.array();
  for (const CellIndex &cell : cells)
    waiting(cell) = 1.;
  grid.exchange(waiting);
  for (double n_left = grid.sum(static_cast<double>(cells.size())), before = 0.; n_left > 0.;)
    {
      const bool is_stuck = n_left == before; // π of two cells that differs by rounding, or a cell beyond a ring
      std::vector<CellIndex> later;
      CellArray              passed = grid.array();
      for (const CellIndex &cell : cells)
        if (const Index c = grid.position(cell); !is_stuck && hears_from(c, waiting))
          later.push_back(cell);
        else
          {
            pass_on_from(cell, colours, h);
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
  if (grid.sum(static_cast<double>(far_away.size())) > 0.)
    visit_across_processes(colours);
}

/// The cells that matter and momentum come to from there in a step.
void ColouredMassStep::visit_around(const CellIndex &cell, Colour &colour) const
{
  std::vector<CellIndex> here;
  grid.any_around(cell, Colour::in_a_step, [&](const CellIndex &there) {
    if (grid.is_here(there))
      here.push_back(there);
    return false;
  });
  colour.visit(here);
}

void ColouredMassStep::visit_across_processes(std::vector<Colour> &colours) const
{
  const int last = grid.box().last_axis();
  for (Colour &colour : colours)
    {
      CellArray reached = grid.array();
      for (const auto &[of, cell] : far_away)
        if (of == &colour && grid.is_here(cell))
          reached(cell) = 1.;
      grid.exchange(reached);
      BoxGrid layer = grid.box();
      for (const Index beyond : {layer.first - 1, layer.last})
        {
          layer.first = beyond < grid.box().first ? grid.box().first : grid.box().last - 1;
          layer.last  = layer.first + 1;
          for_own_cells(layer, [&](CellIndex cell) {
            cell[last] = beyond;
            if (reached(cell) > 0.)
              visit_around(cell, colour);
          });
        }
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

/// Fluxes through the upper faces of cells that have passed something on there, to the process that computes these faces;
/// tiles for what comes over the lower faces of the process above.
void ColouredMassStep::send_upwards(const CellArray &passed, std::vector<Colour> &colours) const
{
  const int last     = grid.box().last_axis();
  CellArray has_sent = passed;
  grid.exchange(has_sent);
  BoxGrid bottom = grid.box(), top = bottom; // layers
  bottom.last = bottom.first + 1;
  top.first   = top.last - 1;
  for (Colour &colour : colours)
    {
      if (colour.is_empty)
        continue;
      const Tiles &tiles   = colour.grid().tiles();
      CellArray    upwards = grid.array(), downwards = upwards;
      for_own_cells(top, [&](const CellIndex &cell) { upwards(cell) = colour.at(colour.flux[last], moved(cell, last, 1)); });
      for_own_cells(bottom, [&](const CellIndex &cell) { downwards(cell) = colour.at(colour.flux[last], cell); });
      grid.exchange(upwards);
      grid.exchange(downwards);
      std::vector<CellIndex> reached;
      for_own_cells(top, [&](const CellIndex &cell) {
        if (downwards(moved(cell, last, 1)) != 0.)
          reached.push_back(cell);
      });
      const auto comes = [&](const CellIndex &cell) {
        return has_sent(moved(cell, last, -1)) > 0. && upwards(moved(cell, last, -1)) != 0.;
      };
      for_own_cells(bottom, [&](const CellIndex &cell) {
        if (comes(cell))
          reached.push_back(cell);
      });
      for (const CellIndex &cell : reached)
        visit_around(cell, colour);
      for_own_cells(bottom, [&](const CellIndex &cell) {
        if (comes(cell))
          colour.flux[last].values(tiles.position(cell)) = upwards(moved(cell, last, -1));
      });
      colour.grid().exchange(colour.flux[last]);
    }
}

void ColouredMassStep::pass_on_from(const CellIndex &cell, std::vector<Colour> &colours, const double h)
{
  struct Way
  {
    int       axis;
    CellIndex face; ///< the one that is computed: where an axis is periodic the last face is the first
    CellIndex into; ///< the cell behind it
    double    sign, amount, per_h, weight;
  };
  const Index      at = grid.position(cell);
  std::vector<Way> ways;
  for (int axis = 0; axis < grid.dim(); ++axis)
    {
      const Index     above  = at + grid.stride(axis);
      const double    per_h  = h / grid.box().h(axis);
      const CellIndex behind = moved(cell, axis, 1);
      if (const double r = rest[axis].values(at); r < 0.)
        ways.push_back({axis, cell, moved(cell, axis, -1), -1., -r * per_h, per_h, grid.outflow_weight(axis)(at)});
      if (const double r = rest[axis].values(above); r > 0.)
        ways.push_back(
            {axis, grid.computed_face(axis, behind), behind, 1., r * per_h, per_h, grid.outflow_weight(axis)(above)});
    }
  if (ways.empty())
    return;

  std::vector<Colour *> here;
  for (Colour &colour : colours)
    if (colour.grid().position(cell) != Tiles::none)
      here.push_back(&colour);
  const std::size_t   n = here.size();
  std::vector<double> left(n), came(n, 0.); // of the start, less what leaves already; from outside
  for (std::size_t k = 0; k < n; ++k)
    {
      left[k] = here[k]->at(here[k]->rho, cell);
      for (int axis = 0; axis < grid.dim(); ++axis)
        {
          const CellArray &flux   = here[k]->flux[axis];
          const Vector    &weight = grid.outflow_weight(axis);
          const double     below = here[k]->at(flux, cell), per_h = h / grid.box().h(axis);
          const double     above = here[k]->at(flux, grid.computed_face(axis, moved(cell, axis, 1)));
          left[k] -= per_h * (weight(at) * std::max(-below, 0.) + weight(at + grid.stride(axis)) * std::max(above, 0.));
          came[k] += per_h * (std::max(below, 0.) + std::max(-above, 0.));
        }
      left[k] = std::max(left[k], 0.);
    }
  const auto give = [&](Way &way, Colour &colour, const double amount) {
    if (const auto into = grid.wrapped(way.into); amount != 0. && into && !(colour.at(colour.rho, cell) > 0.))
      {
        visit_around(*into, colour);
        far_away.emplace_back(&colour, *into);
      }
    if (const Index face = colour.grid().position(way.face); face != Tiles::none)
      colour.flux[way.axis].values(face) += way.sign * amount / way.per_h;
    way.amount -= amount;
  };
  for (Way &way : ways)
    {
      const double whole = way.amount;
      for (std::size_t k = 0; k < n; ++k)
        if (const double share = here[k]->at(here[k]->share[way.axis], way.face); share > 0.)
          {
            const double amount = std::min({share * whole, left[k] / way.weight, way.amount});
            give(way, *here[k], amount);
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
            give(way, *here[k], amount);
            (*of)[k] = std::max(0., (*of)[k] - way.weight * amount);
          }
      }
  for (Way &way : ways) // a rounding error of the solution
    {
      const auto most = std::max_element(here.begin(), here.end(), [&](const Colour *const a, const Colour *const b) {
        return a->at(a->rho, cell) < b->at(b->rho, cell);
      });
      if (most != here.end())
        give(way, **most, way.amount);
    }
}
} // namespace moreau::macro
