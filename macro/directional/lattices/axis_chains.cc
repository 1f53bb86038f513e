// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/directional/lattices/axis_chains.h"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <cstdlib>

namespace moreau::macro
{
AxisChains::AxisChains(const AlignedGrid &grid, const convex::ChainFamilies::Family &family, const int axis, const Vector &u,
                       Runs given)
    : grid(grid)
    , family(family)
    , axis(axis)
    , runs(given ? std::move(given) : std::make_shared<RunsOnLines>(runs_on_lines(grid, family, axis)))
    , below(axis == grid.layers.axis ? static_cast<int>(grid.layers.below) : 0)
    , position(grid.n_nodes())
    , run(grid.n_nodes())
{
  const Vector e = family.direction;
  values.resize(family.node.size());
  for (std::size_t l = 0; l < values.size(); ++l)
    {
      const int node = family.node[l];
      position[node] = static_cast<int>(l);
      values[l]      = e.dot(u.segment(grid.dim * node, grid.dim));
    }
  find_runs();
  find_partners();
}

/// Of the runs that have cells here.
void AxisChains::find_runs()
{
  start.assign(runs->runs.size(), 0);
  for (Index r = 0; r < family.n_runs(); ++r)
    {
      const int       begin = family.run_start[r];
      const CellIndex cell  = grid.cell_index(grid.cell_of_node[family.node[begin]]);
      const int       along = static_cast<int>(cell[axis]) + below;
      int             whole = runs->begin[line_of(grid, cell, axis)];
      while (runs->runs[whole].end() <= along)
        ++whole;
      start[whole] = begin - (along - runs->runs[whole].first);
      for (int l = begin; l < family.run_start[r + 1]; ++l)
        run[family.node[l]] = whole;
    }
}

void AxisChains::coefficients(const int node, double *const v, double *const p) const
{
  const int r = run[node], l = position[node] - start[r];
  for (Index o = 0; o < m; ++o)
    {
      const Partner &partner  = partners[m * r + o];
      const auto     v_beside = velocities(partner, l);
      std::copy(v_beside.begin(), v_beside.end(), v + 3 * o);
      const int of_p = partner.p_too ? l + partner.shift : l, run_of_p = partner.p_too ? partner.run : r;
      for (int s = 0; s < 3; ++s)
        p[3 * o + s] = of_p >= 0 && of_p < runs->runs[run_of_p].n ? pressure(s, start[run_of_p] + of_p) : 0.;
    }
}

std::array<double, 3> AxisChains::velocities(const Partner &partner, const int l) const
{
  const RunsOnLines::Run &whole = runs->runs[partner.run];
  const int               last = whole.n - 1, at = l + partner.shift, here = whole.first + at - below;
  if (at > 0 && at < last && here > 0 && here + 1 < grid.n[axis])
    {
      const double *const v = values.data() + start[partner.run] + at;
      return {v[-1], v[0], v[1]};
    }
  std::array<double, 3> v;
  for (int s = 0; s < 3; ++s)
    v[s] = value_in(partner.run, std::min(std::max(at + s - 1, 0), last));
  return v;
}

/// Of the l-th cell of a run; of those that are not here only the ends are known.
double AxisChains::value_in(const int r, const int l) const
{
  const RunsOnLines::Run &whole = runs->runs[r];
  const int               here  = whole.first + l - below;
  if (here >= 0 && here < grid.n[axis])
    return values[start[r] + l];
  return l == 0 ? whole.v_first : whole.v_last;
}

double AxisChains::value(const int node, const double *const xi) const
{
  const int  r = run[node], l = position[node] - start[r];
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
  const RunsOnLines::Run &whole = runs->runs[run[node]];
  const int               l     = position[node] - start[run[node]];
  return upper ? l + 1 == whole.n && whole.wall_after : l == 0 && whole.wall_before;
}

double AxisChains::gain(const int node) const
{
  const int l = position[node];
  return family.row[l] == convex::ChainFamilies::none ? 0. : values[l + 1] - values[l];
}

void AxisChains::set_pressures(const Eigen::MatrixXd &faces, const Index k)
{
  pressure.resize(3, static_cast<Index>(family.node.size()));
  for (Index r = 0; r < family.n_runs(); ++r)
    {
      const int begin = family.run_start[r], end = family.run_start[r + 1];
      for (int l = begin; l < end; ++l)
        {
          pressure(0, l) = std::max(0., faces(2 * k, family.node[l]));
          pressure(2, l) = std::max(0., faces(2 * k + 1, family.node[l]));
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
  const auto n_runs = static_cast<Index>(runs->runs.size());
  partners.resize(m * n_runs);
  std::vector<char> is_here(n_runs, 0);
  for (const int r : run)
    is_here[r] = 1;
  tbb::parallel_for(Index(0), n_runs, [&](const Index r) {
    for (Index o = 0; o < m && is_here[r]; ++o)
      partners[m * r + o] = partner(static_cast<int>(r), o);
  });
}

/// The only run that lies beside run r at offset o, or r itself where there is none, or where it would spoil a sign.
AxisChains::Partner AxisChains::partner(const int r, const Index o) const
{
  const Partner           alone  = {r, 0, true};
  const RunsOnLines::Run &own    = runs->runs[r];
  const int               here   = start[r] + std::max(0, below - own.first);
  CellIndex               beside = grid.cell_index(grid.cell_of_node[family.node[here]]);
  Index                   rest   = o;
  for (int b = 0; b < grid.dim; ++b)
    if (b != axis)
      {
        beside[b] += rest % 3 - 1;
        rest /= 3;
        if (beside[b] < 0 || beside[b] >= grid.n[b])
          return alone;
      }
  const int line  = line_of(grid, beside, axis);
  int       other = runs->begin[line];
  const int end   = runs->begin[line + 1];
  while (other < end && runs->runs[other].end() <= own.first)
    ++other;
  if (other == end || runs->runs[other].first >= own.end() || other + 1 < end && runs->runs[other + 1].first < own.end())
    return alone;
  const RunsOnLines::Run &found = runs->runs[other];
  const int               shift = own.first - found.first;
  // chains of very different extent have different neighbours everywhere, and u jumps between them
  const int too_far = std::max(1, std::min(own.n, found.n) / 8);
  if (std::abs(shift) > too_far || std::abs(found.n - shift - own.n) > too_far)
    return alone;
  // continued constantly to a wall that it does not touch, a chain might run into it
  if (own.wall_before && !found.wall_before || own.wall_after && !found.wall_after)
    return alone;
  return {other, shift, shift <= 0 && found.n - shift <= own.n};
}
} // namespace moreau::macro
