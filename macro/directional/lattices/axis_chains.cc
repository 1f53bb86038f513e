// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/directional/lattices/axis_chains.h"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <cstdlib>

namespace moreau::macro
{
AxisChains::AxisChains(const AlignedGrid &grid, const convex::ChainFamilies::Family &family, const int axis, const Vector &u,
                       const Vector &p)
    : AxisChains(grid, family, axis, u)
{
  set_pressures(p);
}

AxisChains::AxisChains(const AlignedGrid &grid, const convex::ChainFamilies::Family &family, const int axis, const Vector &u)
    : grid(grid), family(family), axis(axis), position(grid.n_nodes()), run(grid.n_nodes())
{
  const Vector e = family.direction;
  values.resize(family.node.size());
  for (Index r = 0; r < family.n_runs(); ++r)
    for (int l = family.run_start[r]; l < family.run_start[r + 1]; ++l)
      {
        const int node = family.node[l];
        position[node] = l;
        run[node]      = static_cast<int>(r);
        values[l]      = e.dot(u.segment(grid.dim * node, grid.dim));
      }
  find_partners();
}

void AxisChains::coefficients(const int node, double *const v, double *const p) const
{
  const int r = run[node], l = position[node] - family.run_start[r];
  for (Index o = 0; o < m; ++o)
    {
      const Partner &partner = partners[m * r + o];
      const int      begin = family.run_start[partner.run], n = family.run_start[partner.run + 1] - begin;
      const int      at       = l + partner.shift;
      const auto     v_beside = velocities(partner, l);
      std::copy(v_beside.begin(), v_beside.end(), v + 3 * o);
      const int of_p = partner.p_too ? at : l, begin_p = partner.p_too ? begin : family.run_start[r],
                n_p = partner.p_too ? n : family.run_start[r + 1] - begin_p;
      for (int s = 0; s < 3; ++s)
        p[3 * o + s] = of_p >= 0 && of_p < n_p ? pressure(s, begin_p + of_p) : 0.;
    }
}

std::array<double, 3> AxisChains::velocities(const Partner &partner, const int l) const
{
  const int             begin = family.run_start[partner.run], last = family.run_start[partner.run + 1] - 1 - begin;
  const int             at = l + partner.shift;
  std::array<double, 3> v;
  for (int s = 0; s < 3; ++s)
    v[s] = values[begin + std::min(std::max(at + s - 1, 0), last)];
  return v;
}

double AxisChains::value(const int node, const double *const xi) const
{
  const int  r = run[node], l = position[node] - family.run_start[r];
  const auto along = hat(xi[axis]);
  double     sum   = 0.;
  for (Index o = 0; o < m; ++o)
    {
      double across = 1.;
      Index  rest   = o;
      for (int b = 0; b < grid.dim; ++b)
        if (b != axis)
          {
            across *= hat(xi[b])[rest % 3];
            rest /= 3;
          }
      if (across == 0.)
        continue;
      const auto v = velocities(partners[m * r + o], l);
      sum += across * (along[0] * v[0] + along[1] * v[1] + along[2] * v[2]);
    }
  return sum;
}

bool AxisChains::at_wall(const int node, const bool upper) const
{
  const int r = run[node], l = position[node];
  return upper ? l + 1 == family.run_start[r + 1] && family.row_after[r] != convex::ChainFamilies::none
               : l == family.run_start[r] && family.row_before[r] != convex::ChainFamilies::none;
}

double AxisChains::gain(const int node) const
{
  const int l = position[node];
  return family.row[l] == convex::ChainFamilies::none ? 0. : values[l + 1] - values[l];
}

void AxisChains::set_pressures(const Vector &p)
{
  const double area = grid.face_area(axis);
  const auto   at   = [&](const int row) { return row == convex::ChainFamilies::none ? 0. : std::max(0., p(row)) / area; };
  pressure.resize(3, family.node.size());
  for (Index r = 0; r < family.n_runs(); ++r)
    {
      const int begin = family.run_start[r], end = family.run_start[r + 1];
      for (int l = begin; l < end; ++l)
        {
          pressure(0, l) = l == begin ? at(family.row_before[r]) : pressure(2, l - 1);
          pressure(2, l) = at(l + 1 == end ? family.row_after[r] : family.row[l]);
        }
      // second differences at the faces of a cell bend the parabola; at an end that of the other face stands for both
      for (int l = begin; l < end; ++l)
        {
          const double slope = pressure(2, l) - pressure(0, l);
          double       bend  = 0.;
          if (l > begin)
            bend += slope - (pressure(2, l - 1) - pressure(0, l - 1));
          if (l + 1 < end)
            bend += pressure(2, l + 1) - pressure(0, l + 1) - slope;
          if (l == begin || l + 1 == end)
            bend *= 2.;
          pressure(1, l) = std::max(0., .5 * (pressure(0, l) + pressure(2, l)) - .125 * bend);
        }
    }
}

void AxisChains::find_partners()
{
  m = 1;
  for (int a = 1; a < grid.dim; ++a)
    m *= 3;
  partners.resize(m * family.n_runs());
  tbb::parallel_for(Index(0), family.n_runs(), [&](const Index r) {
    for (Index o = 0; o < m; ++o)
      partners[m * r + o] = partner(static_cast<int>(r), o);
  });
}

/// The only run that lies beside run r at offset o, or r itself where there is none, or where it would spoil a sign.
AxisChains::Partner AxisChains::partner(const int r, const Index o) const
{
  const Partner   alone = {r, 0, true};
  const int       begin = family.run_start[r], n = family.run_start[r + 1] - begin;
  const CellIndex first  = grid.cell_index(grid.cell_of_node[family.node[begin]]);
  CellIndex       beside = first;
  Index           rest   = o;
  for (int b = 0; b < grid.dim; ++b)
    if (b != axis)
      {
        beside[b] += rest % 3 - 1;
        rest /= 3;
        if (beside[b] < 0 || beside[b] >= grid.n[b])
          return alone;
      }
  int other = convex::ChainFamilies::none;
  for (int l = 0; l < n;)
    {
      const CellIndex cell = moved(beside, axis, l);
      const int       node = grid.node[grid.position(cell)];
      if (node == AlignedGrid::none)
        {
          ++l;
          continue;
        }
      if (other != convex::ChainFamilies::none && run[node] != other)
        return alone;
      other = run[node];
      l += family.run_start[other + 1] - position[node];
    }
  if (other == convex::ChainFamilies::none)
    return alone;
  const int   begin_other = family.run_start[other], n_other = family.run_start[other + 1] - begin_other;
  const Index first_other = grid.cell_index(grid.cell_of_node[family.node[begin_other]])[axis];
  const auto  shift       = static_cast<int>(first[axis] - first_other);
  // chains of very different extent have different neighbours everywhere, and u jumps between them
  const int too_far = std::max(1, std::min(n, n_other) / 8);
  if (std::abs(shift) > too_far || std::abs(n_other - shift - n) > too_far)
    return alone;
  // continued constantly to a wall that it does not touch, a chain might run into it
  if (family.row_before[r] != convex::ChainFamilies::none && family.row_before[other] == convex::ChainFamilies::none ||
      family.row_after[r] != convex::ChainFamilies::none && family.row_after[other] == convex::ChainFamilies::none)
    return alone;
  return {other, shift, shift <= 0 && n_other - shift <= n};
}
} // namespace moreau::macro
