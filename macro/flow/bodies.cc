// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/flow/bodies.h"

#include <algorithm>
#include <cmath>
#include <limits>

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

/// Whether it lies at a side where matter may still enter: then not all of it is there.
bool Bodies::is_entering(const Part &part) const
{
  for (const int side : grid.inflow_sides())
    for (const CellIndex &cell : part.cells)
      if (cell[side / 2] == (side % 2 ? grid.box().n[side / 2] - 1 : 0))
        return true;
  return false;
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
    double &value = from.values(source.grid().position(at));
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

void Bodies::recolour(std::vector<Colour> &colours)
{
  find_parts(colours);
  std::int64_t n_fused = 0;
  for (std::size_t k = 0; k < parts.size(); ++k)
    if (parts[k].colour > 0 && (is_thin(parts[k]) || parts[k].is_changed || (is_first && !is_body(parts[k]))))
      {
        move(colours, k, 0);
        count.changed += parts[k].is_changed && (is_first ? can_be_body(parts[k]) : !is_thin(parts[k]));
        count.deaths += !is_first && (grid.dim() == 1 || parts[k].mass >= .25 * least_mass()); // else debris of a body
      }
    else if (parts[k].colour == 0 && is_body(parts[k]))
      {
        if (const std::size_t colour = free_colour(k); colour > 0)
          {
            move(colours, k, colour);
            ++count.births;
          }
        else
          ++n_fused;
      }
    else if (is_first && parts[k].colour > 0)
      ++count.births;
    else if (is_first && parts[k].n_full > 0)
      {
        count.joined += parts[k].has_gap;
        const bool is_changed = parts[k].is_changed && can_be_body(parts[k]);
        count.changed += is_changed;
        count.thin += parts[k].is_compact && !is_changed;
        count.surrounded += !parts[k].is_compact && !parts[k].has_gap;
      }
  for (std::size_t k = 0; k < parts.size(); ++k)
    if (parts[k].colour > 0 && is_near(k, parts[k].colour))
      {
        if (const std::size_t colour = free_colour(k); colour > 0)
          {
            move(colours, k, colour);
            ++count.changes;
          }
        else
          ++n_fused;
      }
  is_first = false;
  take_stock(colours, n_fused);
}

Bodies::MovingFaces Bodies::moving_faces(const Colour &colour, const Part &part, const int axis) const
{
  const Vector    &m = colour.mass[axis].values, &M = colour.momentum[axis].values, &u = colour.velocity[axis].values;
  constexpr double infinity = std::numeric_limits<double>::infinity();
  MovingFaces      moving   = {{}, 0., 0., infinity, -infinity};
  const auto       add      = [&](const std::optional<CellIndex> &of_face) {
    const Index face = of_face ? colour.grid().position(*of_face) : Tiles::none;
    if (face == Tiles::none || !(m(face) > empty_density) || !(colour.grid().open(axis)(face) > 0.))
      return;
    moving.faces.push_back(face);
    moving.mass += m(face);
    moving.momentum += M(face);
    moving.slowest = std::min(moving.slowest, u(face));
    moving.fastest = std::max(moving.fastest, u(face));
  };
  const BodyMatter &of = matter[part.colour];
  for (const CellIndex &cell : part.cells)
    {
      add(box.face_here(axis, cell));
      if (of.label_of(moved(cell, axis, 1)) != of.label_of(cell))
        add(box.face_here(axis, moved(cell, axis, 1)));
    }
  return moving;
}

void Bodies::even_out(std::vector<Colour> &colours, const double most) const
{
  std::vector<MovingFaces> all; // of bodies, axis by axis
  for (const Part &part : parts)
    for (int axis = 0; axis < grid.dim() && part.colour > 0; ++axis)
      all.push_back(moving_faces(colours[part.colour], part, axis));
  constexpr Index n_each = 4;
  Vector          here(n_each * static_cast<Index>(all.size()));
  for (std::size_t k = 0; k < all.size(); ++k)
    here.segment<n_each>(n_each * static_cast<Index>(k)) << all[k].mass, all[k].momentum, all[k].slowest, all[k].fastest;
  const Vector everywhere = gathered(box.here().box().processes, here);

  auto moving = all.begin();
  for (const Part &part : parts)
    for (int axis = 0; axis < grid.dim() && part.colour > 0; ++axis, ++moving)
      {
        const Index     at    = n_each * (moving - all.begin());
        Eigen::Vector4d whole = everywhere.segment<n_each>(at);
        for (Index from = here.size() + at; from < everywhere.size(); from += here.size())
          {
            const auto more = everywhere.segment<n_each>(from);
            whole << whole(0) + more(0), whole(1) + more(1), std::min(whole(2), more(2)), std::max(whole(3), more(3));
          }
        if (!(whole(0) > 0.) || whole(3) - whole(2) > most)
          continue;
        Colour &colour = colours[part.colour];
        for (const Index face : moving->faces)
          {
            double &u                          = colour.velocity[axis].values(face);
            u                                  = whole(1) / whole(0);
            colour.momentum[axis].values(face) = colour.mass[axis].values(face) * u;
          }
      }
}

void Bodies::take_stock(const std::vector<Colour> &colours, const std::int64_t n_fused)
{
  count.fused  = std::max(count.fused, n_fused);
  count.bodies = 0;
  for (const Part &part : parts)
    count.bodies += part.colour > 0;
  count.colours = std::max(count.colours, static_cast<std::int64_t>(colours.size()) - 1);
}

double Bodies::until_contact(const std::vector<Colour> &colours, const double h,
                             const std::vector<const FlowForce *> &f) const
{
  if (grid.dim() != 1 || parts.empty())
    return h;
  struct Body
  {
    double left, right, u, f; ///< f: acceleration (m/s²)
  };
  const double      dx = grid.box().h(0), lower = grid.box().lower(0);
  const double      length = static_cast<double>(grid.box().n[0]) * dx;
  std::vector<Body> bodies;
  if (grid.side(0) == Boundary::wall)
    bodies.push_back({lower, lower, 0., 0.});
  for (const Part &part : parts)
    if (part.colour > 0)
      {
        const Colour &colour = colours[part.colour];
        double        mass = 0., momentum = 0., weight = 0.;
        for (const CellIndex &cell : part.cells) // each face once but for those of neighbours, which is enough for a mean
          {
            const CellIndex there = *grid.wrapped(cell);
            const double    m     = colour.at(colour.mass[0], there);
            mass += m;
            momentum += colour.at(colour.momentum[0], there);
            weight += f.empty() ? 0. : m * f[part.colour]->values()[0].values(f[part.colour]->flow_grid().position(there));
          }
        const double left  = static_cast<double>(part.cells.front()[0] + 1) - fullness(part.colour, part.cells.front());
        const double right = static_cast<double>(part.cells.back()[0]) + fullness(part.colour, part.cells.back());
        bodies.push_back(
            {lower + left * dx, lower + right * dx, mass > 0. ? momentum / mass : 0., mass > 0. ? weight / mass : 0.});
      }
  for (Index j = 0; j < grid.box().n[0]; ++j) // solids
    if (!(rho_max.values(grid.position({j, 0, 0})) > 0.))
      {
        const double left = lower + static_cast<double>(j) * dx;
        bodies.push_back({left, left + dx, 0., 0.});
      }
  const auto by_place = [](const Body &a, const Body &b) { return a.left < b.left; };
  std::stable_sort(bodies.begin() + (grid.side(0) == Boundary::wall), bodies.end(), by_place);
  if (grid.side(1) == Boundary::wall)
    bodies.push_back({lower + length, lower + length, 0., 0.});
  if (grid.periodic()[0] && !bodies.empty())
    bodies.push_back({bodies.front().left + length, bodies.front().right + length, bodies.front().u, bodies.front().f});

  constexpr double closed = 1e-9, shortest = 1e-6; // cells; of h: what closes within is one impact
  double           first = h;
  for (std::size_t k = 1; k < bodies.size(); ++k)
    {
      const double gap = bodies[k].left - bodies[k - 1].right, approach = bodies[k - 1].u - bodies[k].u;
      const double faster = bodies[k - 1].f - bodies[k].f, square = approach * approach + 4. * faster * gap;
      if (!(gap > closed * dx) || square < 0.)
        continue;
      // velocities change first, then places: gap = t (approach + t faster)
      const double denominator = approach + std::sqrt(square), t = 2. * gap / denominator;
      if (denominator > 0. && t < first)
        first = std::max(t, shortest * h);
    }
  return first;
}
} // namespace moreau::macro
