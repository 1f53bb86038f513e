// SPDX-License-Identifier: GPL-3.0-or-later
// What the velocities of bodies ask for.
#include "macro/flow/bodies.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace moreau::macro
{
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
