// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/flow/bodies.h"

#include "macro/flow/body_history.h"

#include <algorithm>
#include <cmath>

namespace moreau::macro
{
namespace
{
constexpr int    none      = BodyMatter::none;
constexpr double nothing   = 1e-9;      ///< densities up to this belong to no body
constexpr double full_cell = 1. - 1e-9; ///< of ρ̄
constexpr double thinnest  = 3.;        ///< cells
constexpr Index  reach     = 3;         ///< cells between bodies of one colour, at least
} // namespace

Bodies::Bodies(const WholeBox &box, const bool under_force)
    : box(box), under_force(under_force), grid(box.grid()), rho_max(box.rho_max())
{
  constexpr double  same = 1e-12;
  std::vector<char> changes(grid.size(), 0); // cells beside one of another ρ̄
  bool              any      = false;
  const auto        is_other = [&](const Index a, const Index b) {
    const double of_a = rho_max.values(a), of_b = rho_max.values(b);
    return of_a > 0. && of_b > 0. && std::abs(of_a - of_b) > same;
  };
  for_own_cells(grid.box(), [&](const CellIndex &cell) {
    const Index at = grid.position(cell);
    for (int axis = 0; axis < grid.dim(); ++axis)
      for (const Index by : {-1, 1})
        if (const auto beside = grid.find(moved(cell, axis, by)); beside && is_other(at, *beside))
          changes[at] = any = true;
  });
  if (!any)
    return;
  varies.assign(grid.size(), 0);
  for_own_cells(grid.box(), [&](const CellIndex &cell) {
    const auto is_change        = [&](const CellIndex &there) { return changes[grid.position(there)] != 0; };
    varies[grid.position(cell)] = grid.any_around(cell, reach - 1, is_change);
  });
}

/// ρ_k/ρ̄; 0 beyond the box and in solids.
double Bodies::fullness(const std::size_t colour, const CellIndex &cell) const
{
  const double of_colour = matter[colour].density(cell);
  if (of_colour == 0.)
    return 0.;
  const double most = rho_max.values(grid.position(*grid.wrapped(cell)));
  return most > 0. ? of_colour / most : 0.;
}

bool Bodies::is_full(const std::size_t colour, const CellIndex &cell) const { return fullness(colour, cell) >= full_cell; }

void Bodies::find_parts(const std::vector<Colour> &colours)
{
  parts.clear();
  matter.clear();
  for (const Colour &colour : colours)
    matter.emplace_back(box, colour);
  for (std::size_t k = 0; k < colours.size(); ++k)
    find_parts_of(k);
}

void Bodies::find_parts_of(const std::size_t k)
{
  BodyMatter &of      = matter[k];
  const auto  is_free = [&](const CellIndex &cell) { return of.label_of(cell) == none && of.density(cell) > nothing; };
  of.for_cells([&](const CellIndex &start) {
    if (!is_free(start))
      return;
    const int number = static_cast<int>(parts.size());
    Part      part;
    part.colour = k;
    part.cells  = grid.connected(start, [&](const CellIndex &there) {
      const bool joins = is_free(there);
      if (joins)
        of.set_label(there, number);
      return joins;
    });
    describe(part);
    parts.push_back(std::move(part));
  });
}

void Bodies::describe(Part &part) const
{
  if (grid.dim() == 1 && !std::is_sorted(part.cells.begin(), part.cells.end())) // a ring
    std::sort(part.cells.begin(), part.cells.end());
  CellIndex &lowest = part.lowest, &highest = part.highest;
  lowest = highest = part.cells.front();
  for (const CellIndex &cell : part.cells)
    {
      for (int axis = 0; axis < grid.dim(); ++axis)
        {
          lowest[axis]  = std::min(lowest[axis], cell[axis]);
          highest[axis] = std::max(highest[axis], cell[axis]);
        }
      part.mass += fullness(part.colour, cell);
      part.is_changed = part.is_changed || (!varies.empty() && varies[*grid.find(cell)] != 0);
      if (is_full(part.colour, cell))
        {
          ++part.n_full;
          continue;
        }
      bool is_edge = false;
      for (int axis = 0; axis < grid.dim(); ++axis)
        {
          const auto full = [&](const Index by) { return is_full(part.colour, moved(cell, axis, by)); };
          is_edge         = is_edge || full(-1) || full(1);
          // two edges in one cell, or in two with a gap between them
          if ((full(-1) && full(1)) ||
              (grid.dim() == 1 && full(-1) && full(2) && fullness(part.colour, moved(cell, axis, 1)) > nothing))
            part.has_gap = true;
        }
      constexpr std::array<Index, 5> near = {-2, -1, 0, 1, 2}; // corners of bodies end in a tip of partly filled cells
      for (int a = 0; a < grid.dim() && !is_edge; ++a)
        for (int b = 0; b < a && !is_edge; ++b)
          for (const Index i : near)
            for (const Index j : near)
              is_edge = is_edge || is_full(part.colour, moved(moved(cell, a, i), b, j));
      part.is_compact = part.is_compact && is_edge;
    }
  part.is_compact = part.is_compact && !part.has_gap;
  for (int axis = 0; axis < grid.dim(); ++axis)
    part.extent[axis] = highest[axis] - lowest[axis] + 1;
  part.width = part.mass;
  for (int axis = 0; axis < grid.dim() && grid.dim() > 1; ++axis)
    {
      const int           a = axis == 0 ? 1 : 0, b = axis == 2 ? 1 : 2; // the other axes
      std::vector<double> lines(part.extent[a] * part.extent[b], 0.);
      for (const CellIndex &cell : part.cells)
        lines[(cell[a] - lowest[a]) + part.extent[a] * (cell[b] - lowest[b])] += fullness(part.colour, cell);
      part.width = std::min(part.width, *std::max_element(lines.begin(), lines.end()));
    }
}

/// What has the mass of three cells along each axis, but for rounding.
double Bodies::least_mass() const { return std::pow(thinnest, grid.dim()) - 1e-6; }

/// What is no body any more; with half of the least mass, so that bodies do not come and go.
bool Bodies::is_thin(const Part &part) const
{
  if (grid.dim() > 1 && part.mass < .5 * least_mass())
    return true;
  for (int axis = 0; axis < grid.dim(); ++axis)
    if (static_cast<double>(part.extent[axis]) < thinnest)
      return true;
  return part.n_full == 0;
}

/// What is so little that it is no body that breaks off or is given up.
bool Bodies::is_debris(const Part &part) const { return part.mass < .25 * least_mass(); }

/// Whether it lies at a side of the box.
bool Bodies::is_at(const Part &part, const int side) const
{
  const int axis = side / 2;
  return side % 2 == 0 ? part.lowest[axis] <= 0 : part.highest[axis] >= grid.box().n[axis] - 1;
}

/// Whether it lies at a side where matter may still enter: then not all of it is there.
bool Bodies::is_entering(const Part &part) const
{
  const auto &sides = grid.inflow_sides();
  return std::any_of(sides.begin(), sides.end(), [&](const int side) { return is_at(part, side); });
}

/// Whether it lies at a side through which matter leaves: then not all of it may be there any more.
bool Bodies::is_leaving(const Part &part) const
{
  for (int side = 0; side < 2 * grid.dim(); ++side)
    if (grid.side(side) == Boundary::open && is_at(part, side))
      return true;
  return is_entering(part);
}

/// Whether it would be one where ρ̄ does not vary.
bool Bodies::can_be_body(const Part &part) const
{
  return !is_entering(part) && part.is_compact && !is_thin(part) && part.n_full >= 2 && part.width >= thinnest - 1e-6;
}

bool Bodies::is_body(const Part &part) const { return !part.is_changed && can_be_body(part); }

/// Whether another part of a colour comes as near to a part as bodies of one colour must not.
bool Bodies::is_near(const std::size_t part, const std::size_t colour) const
{
  if (colour >= matter.size())
    return false;
  const auto box_is_near = [&](const Part &other) {
    if (&other == &parts[part] || other.colour != colour)
      return false;
    for (int axis = 0; axis < grid.dim(); ++axis)
      if (!grid.periodic()[axis] && (other.lowest[axis] > parts[part].highest[axis] + reach + 1 ||
                                     parts[part].lowest[axis] > other.highest[axis] + reach + 1))
        return false;
    return true;
  };
  if (std::none_of(parts.begin(), parts.end(), box_is_near))
    return false;
  const int number = static_cast<int>(part);
  for (const CellIndex &cell : parts[part].cells)
    {
      bool inside = true; // cells within it are farther from others than those at its edge
      for (int axis = 0; axis < grid.dim(); ++axis)
        for (const Index by : {-1, 1})
          inside = inside && matter[parts[part].colour].label_of(moved(cell, axis, by)) == number;
      if (inside)
        continue;
      const auto is_another = [&](const CellIndex &there) {
        const int its_label = matter[colour].label_of(there);
        return its_label != none && its_label != number;
      };
      if (grid.any_around(cell, reach + 1, is_another))
        return true;
    }
  return false;
}

/// The first colour of a body that nobody near it has; 0: all are in use.
std::size_t Bodies::free_colour(const std::size_t part) const
{
  for (std::size_t k = 1; k <= most_colours; ++k)
    if (k != parts[part].colour && !is_near(part, k))
      return k;
  return 0;
}

/// Moves matter and momentum of a part, with crumbs beside it, to another colour.
void Bodies::move(std::vector<Colour> &colours, const std::size_t number, const std::size_t to)
{
  while (colours.size() <= to)
    {
      colours.emplace_back(box.here(), under_force);
      matter.emplace_back(box);
    }
  constexpr Index    to_faces = 2; // cells from a part to the faces of what lies beside it
  Part              &part     = parts[number];
  const std::size_t  of       = part.colour;
  Colour            &source = colours[of], &target = colours[to];
  std::vector<Index> wanted;
  for (const CellIndex &cell : part.cells)
    grid.any_around(cell, to_faces, [&](const CellIndex &there) {
      if (const auto here = box.cell_here(there))
        if (const Index tile = target.grid().tiles().tile_of(*here); wanted.empty() || wanted.back() != tile)
          wanted.push_back(tile);
      return false;
    });
  target.add_tiles(std::move(wanted));
  matter[to].make_room_around(part.cells, 1);
  const auto mix_first = [&](const CellIndex &at) { // before the densities
    const Index  s = source.grid().position(at), t = target.grid().position(at);
    const double taken = source.rho.values(s), there = target.rho.values(t);
    if (taken > 0.)
      target.first.values(t) = (taken * source.first.values(s) + there * target.first.values(t)) / (taken + there);
  };
  const auto take = [&](CellArray &from, CellArray &into, const CellIndex &at) {
    const Index there = source.grid().position(at);
    if (there == Tiles::none) // a face between processes, on the side that holds no matter
      return;
    double &value = from.values(there);
    into.values(target.grid().position(at)) += value;
    value = 0.;
  };
  const auto take_cell = [&](const CellIndex &cell, const bool is_crumb) {
    matter[of].move_to(matter[to], cell);
    if (const auto here = box.cell_here(cell))
      {
        mix_first(*here);
        take(source.rho, target.rho, *here);
      }
    for (int axis = 0; axis < grid.dim(); ++axis)
      for (const Index side : {0, 1})
        {
          if (is_crumb && matter[of].label_of(moved(cell, axis, side == 0 ? -1 : 1)) != none) // the face of another part
            continue;
          if (const auto face = box.face_here(axis, moved(cell, axis, side)))
            take(source.momentum[axis], target.momentum[axis], *face);
        }
  };
  for (const CellIndex &cell : part.cells)
    {
      matter[of].set_label(cell, none);
      matter[to].set_label(cell, static_cast<int>(number));
    }
  for (const CellIndex &cell : part.cells)
    take_cell(cell, false);
  for (const CellIndex &cell : part.cells)
    for (int axis = 0; axis < grid.dim(); ++axis)
      for (const Index by : {-1, 1})
        {
          const CellIndex beside = moved(cell, axis, by);
          if (matter[of].density(beside) > 0. && matter[of].label_of(beside) == none)
            take_cell(beside, true);
        }
  part.colour = to;
}

void Bodies::find(const std::vector<Colour> &colours)
{
  find_parts(colours);
  is_first = false;
}

/// What has come of the bodies of before. The matter of a body moves by less than a cell in a step.
void Bodies::count_step(const std::vector<Part> &before, const std::vector<BodyMatter> &matter_before)
{
  constexpr Index                                  step = 1;                    // cells
  std::vector<std::size_t>                         number_of(before.size(), 0); // among bodies
  std::vector<std::pair<std::size_t, std::size_t>> links;
  std::size_t                                      n_before = 0, n_after = 0;
  for (std::size_t k = 0; k < before.size(); ++k)
    if (before[k].colour > 0)
      number_of[k] = n_before++;
  for (const Part &part : parts)
    {
      if (part.colour == 0 || is_debris(part))
        continue;
      const BodyMatter &of   = matter_before[part.colour];
      const auto        link = [&](const CellIndex &cell) {
        const int label = of.label_of(cell);
        if (label == none)
          return false;
        if (const std::pair<std::size_t, std::size_t> found(number_of[label], n_after);
            links.empty() || links.back() != found)
          links.push_back(found);
        return true;
      };
      bool is_linked = false;
      for (const CellIndex &cell : part.cells)
        is_linked = link(cell) || is_linked;
      for (std::size_t k = 0; k < part.cells.size() && !is_linked; ++k)
        is_linked = grid.any_around(part.cells[k], step, link);
      ++n_after;
    }
  macro::count_step(n_before, n_after, links, count);
}

/// Where a part is, unless something was noted before.
void Bodies::note(BodyCounts::First &first, const Part &part, const double t) const
{
  if (!(first.time < 0.))
    return;
  first.time = t;
  for (int axis = 0; axis < grid.dim(); ++axis)
    {
      double moment = 0.;
      for (const CellIndex &cell : part.cells)
        moment += fullness(part.colour, cell) * (static_cast<double>(cell[axis]) + .5);
      const auto n  = static_cast<double>(grid.box().n[axis]);
      double     at = moment / part.mass;
      if (grid.periodic()[axis])
        at -= n * std::floor(at / n);
      first.place[axis] = grid.box().lower(axis) + at * grid.box().h(axis);
    }
}

/// At the start: what is no body, and why.
void Bodies::note_none(const Part &part)
{
  const bool is_changed = part.is_changed && can_be_body(part);
  count.changed += is_changed;
  if (part.n_full == 0)
    return;
  count.joined += part.has_gap;
  count.thin += part.is_compact && !is_changed;
  count.surrounded += !part.is_compact && !part.has_gap;
}

void Bodies::recolour(std::vector<Colour> &colours, const double t)
{
  {
    const std::vector<Part>       before        = std::move(parts);
    const std::vector<BodyMatter> matter_before = std::move(matter);
    find_parts(colours);
    if (!is_first)
      count_step(before, matter_before);
  }
  std::int64_t n_fused    = 0;
  const auto   note_fused = [&](const std::size_t k) {
    note(count.first_fused, parts[k], t);
    ++n_fused;
  };
  for (std::size_t k = 0; k < parts.size(); ++k)
    if (parts[k].colour > 0 && (is_thin(parts[k]) || parts[k].is_changed || (is_first && !is_body(parts[k]))))
      {
        const bool is_death    = !is_first && !is_debris(parts[k]);
        const bool is_narrowed = is_death && !parts[k].is_changed && !is_leaving(parts[k]);
        if (is_narrowed)
          note(count.first_narrowed, parts[k], t);
        if (is_first)
          note_none(parts[k]);
        else
          count.changed += parts[k].is_changed && !is_thin(parts[k]);
        count.deaths += is_death;
        count.narrowed += is_narrowed;
        move(colours, k, 0);
      }
    else if (parts[k].colour == 0 && is_body(parts[k]))
      {
        if (const std::size_t colour = free_colour(k); colour > 0)
          {
            move(colours, k, colour);
            ++count.births;
          }
        else
          note_fused(k);
      }
    else if (is_first && parts[k].colour > 0)
      ++count.births;
    else if (is_first)
      note_none(parts[k]);
  for (std::size_t k = 0; k < parts.size(); ++k)
    if (parts[k].colour > 0 && is_near(k, parts[k].colour))
      {
        if (const std::size_t colour = free_colour(k); colour > 0)
          {
            move(colours, k, colour);
            ++count.changes;
          }
        else
          note_fused(k);
      }
  is_first = false;
  take_stock(colours, n_fused);
}

void Bodies::take_stock(const std::vector<Colour> &colours, const std::int64_t n_fused)
{
  count.fused  = std::max(count.fused, n_fused);
  count.bodies = 0;
  for (const Part &part : parts)
    count.bodies += part.colour > 0;
  count.colours = std::max(count.colours, static_cast<std::int64_t>(colours.size()) - 1);
}
} // namespace moreau::macro
