// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/flow/drainage.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

namespace moreau::macro
{
namespace
{
constexpr double unreached  = std::numeric_limits<double>::max();
constexpr int    end_of_way = -1;

/// The way out of the zone from each of its cells: a forest. Ways: 2 axis to the cell below, 2 axis + 1 to that above.
class WaysOut
{
public:
  explicit WaysOut(const FullZone &zone)
      : zone(zone)
      , grid(zone.flow_grid())
      , distance(grid.array())
      , way_of(distance.values.size(), end_of_way)
      , is_own(distance.values.size(), 0)
  {
    distance.values.setConstant(unreached);
    grid.for_cells([&](const Index c) {
      if (zone.inside().values(c) > 0.)
        {
          cells.push_back(c);
          is_own[c] = 1;
        }
    });
    for (const Index c : cells)
      for (int way = 0; way < n_ways() && distance.values(c) != 0.; ++way)
        if (is_open(c, way) && !(zone.inside().values(neighbour(c, way)) > 0.))
          reach(c, 0., way);
    spread();
    start_in_pockets();
    sort();
  }

  int   n_ways() const { return 2 * grid.dim(); }
  bool  is_open(const Index c, const int way) const { return zone.mobility()[way / 2].values(face(c, way)) > 0.; }
  Index face(const Index c, const int way) const { return way % 2 ? c + grid.stride(way / 2) : c; }
  Index neighbour(const Index c, const int way) const { return c + (way % 2 ? 1 : -1) * grid.stride(way / 2); }
  bool  has_borders() const { return grid.box().processes.size() > 1 || grid.periodic() != std::array<bool, 3>{}; }

  const FullZone          &zone;
  const FlowGrid          &grid;
  CellArray                distance;      ///< in cells
  std::vector<Index>       cells;         ///< own ones of the zone: those far away first
  std::vector<signed char> way_of;        ///< where the way of a cell leads to
  std::vector<char>        is_own;        ///< one of `cells`
  std::vector<int>         pocket;        ///< number of the one that a cell lies in, from 1 on; 0: none. Empty without any
  int                      n_pockets = 0; ///< of all processes

private:
  void reach(const Index c, const double how_far, const int way)
  {
    distance.values(c) = how_far;
    way_of[c]          = static_cast<signed char>(way);
    if (n_pockets > 0)
      pocket[c] = n_pockets;
    reached.push_back(c);
  }

  /// To all cells that a way leads to, over the borders of processes and periodic axes too.
  void spread()
  {
    do
      {
        for (std::size_t k = 0; k < reached.size(); ++k)
          for (int way = 0; way < n_ways(); ++way)
            {
              const Index c = reached[k], other = neighbour(c, way);
              if (is_own[other] && distance.values(other) > distance.values(c) + 1. && is_open(c, way))
                reach(other, distance.values(c) + 1., way ^ 1);
            }
        reached.clear();
        if (!has_borders())
          return;
        grid.exchange(distance);
        for (const Index c : cells)
          for (int way = 0; way < n_ways(); ++way)
            if (const Index other = neighbour(c, way); distance.values(other) + 1. < distance.values(c) && is_open(c, way))
              reach(c, distance.values(other) + 1., way);
    } while (grid.largest(reached.empty() ? 0. : 1.) > 0.);
  }

  /// Where no way leads out, ways lead to one of the cells.
  void start_in_pockets()
  {
    const Processes &processes = grid.box().processes;
    auto             next      = cells.begin();
    while (true)
      {
        next              = std::find_if(next, cells.end(), [&](const Index c) { return distance.values(c) == unreached; });
        const int    rank = next == cells.end() ? processes.size() : processes.rank();
        const double current = -grid.largest(-rank);
        if (current == processes.size())
          return;
        ++n_pockets;
        pocket.resize(distance.values.size(), 0);
        if (rank == current)
          reach(*next, 0., end_of_way);
        spread();
      }
  }

  void sort()
  {
    double farthest = 0.;
    for (const Index c : cells)
      farthest = std::max(farthest, distance.values(c));
    std::vector<Index> begin(static_cast<std::size_t>(farthest) + 2, 0), sorted(cells.size());
    const auto         place = [&](const Index c) { return static_cast<std::size_t>(farthest - distance.values(c)); };
    for (const Index c : cells)
      ++begin[place(c) + 1];
    std::partial_sum(begin.begin(), begin.end(), begin.begin());
    for (const Index c : cells)
      sorted[begin[place(c)]++] = c;
    cells = std::move(sorted);
  }

  std::vector<Index> reached;
};

/// What flows along the ways.
class Draining
{
public:
  explicit Draining(const WaysOut &ways)
      : ways(ways), grid(ways.grid), compression(grid.array()), is_pressed(compression.values.size(), 0)
  {
    if (!ways.has_borders())
      return;
    sent = way_of = compression;
    way_of.values.setConstant(end_of_way);
    for (const Index c : ways.cells)
      way_of.values(c) = ways.way_of[c];
    grid.exchange(way_of);
  }

  /// The same v with less compression. p: see Drainage; rounding: of Bv; share_rounding: not the first time for this v.
  Vector drained(const Vector &v, const Vector &Bv, const Vector &p, const double rounding, const bool share_rounding)
  {
    flux            = grid.faces();
    margin          = 2. * rounding;
    kept_in_pockets = share_rounding ? margin : 0.;
    if (p.size() > 0)
      ways.zone.scatter(p, compression);
    for (const Index c : ways.cells)
      is_pressed[c] = p.size() > 0 && compression.values(c) > 0.;
    ways.zone.scatter_sums(Bv, compression);
    take_means_of_pockets();
    do
      {
        sent.values.setZero(); // of no length without borders
        for (const Index c : ways.cells)
          if (const int way = ways.way_of[c]; way != end_of_way)
            send(c, way);
    } while (ways.has_borders() && received());
    return ways.zone.with_flux(v, flux);
  }

private:
  void take_means_of_pockets()
  {
    for (int k = 1; k <= ways.n_pockets; ++k)
      {
        double sum = 0., n = 0.;
        for (const Index c : ways.cells)
          if (ways.pocket[c] == k)
            {
              sum += compression.values(c);
              ++n;
            }
        const double mean = grid.sum(sum) / grid.sum(n);
        for (const Index c : ways.cells)
          if (ways.pocket[c] == k)
            compression.values(c) -= mean;
      }
  }

  /// What a cell passes on. With a way out it keeps a margin for rounding errors, which there is none for in pockets.
  double passes_on(const Index c) const
  {
    const double whole = compression.values(c);
    if (ways.n_pockets > 0 && ways.pocket[c] > 0)
      return whole - std::clamp(whole, -kept_in_pockets, kept_in_pockets);
    return is_pressed[c] ? whole + margin : std::max(whole + margin, 0.);
  }

  void send(const Index c, const int way)
  {
    const double amount = passes_on(c);
    const Index  other  = ways.neighbour(c, way);
    compression.values(c) -= amount;
    flux[way / 2].values(ways.face(c, way)) += way % 2 ? amount : -amount;
    if (ways.is_own[other])
      compression.values(other) += amount;
    else if (ways.has_borders())
      sent.values(c) += amount;
  }

  /// What came over the borders; whether there was anything.
  bool received()
  {
    double any = 0.;
    grid.exchange(sent);
    grid.for_cells([&](const Index c) {
      for (int way = 0; way < ways.n_ways(); ++way)
        {
          const Index other = ways.neighbour(c, way);
          if (ways.is_own[other] || sent.values(other) == 0. || way_of.values(other) != (way ^ 1))
            continue;
          const double amount = sent.values(other);
          flux[way / 2].values(ways.face(c, way)) += way % 2 ? -amount : amount;
          compression.values(c) += amount;
          any = 1.;
        }
    });
    return grid.largest(any) > 0.;
  }

  const WaysOut    &ways;
  const FlowGrid   &grid;
  double            margin = 0., kept_in_pockets = 0.;
  FaceCells         flux; ///< more of it through faces, in units of Bv
  CellArray         compression;
  CellArray         sent, way_of; ///< over borders; of cells behind these, too. Empty without
  std::vector<char> is_pressed;
};
} // namespace

Vector Drainage::repaired(const Vector &u) const
{
  constexpr int    most_rounds = 4;
  constexpr double few = 1e4, tolerable = 4.; // rounding errors; of Bv as certificates have it
  const FlowGrid  &grid    = zone->flow_grid();
  const auto       largest = [&](const Vector &x) { return grid.largest(x.size() == 0 ? 0. : std::max(0., x.maxCoeff())); };
  Vector           v       = u, Bv(zone->n_constraints());
  if (largest(u.cwiseAbs()) <= few * convex::epsilon * speed)
    return Vector::Zero(u.size());
  zone->apply(v, Bv);
  const WaysOut ways(*zone);
  Draining      draining(ways);
  for (int round = 0; round < most_rounds; ++round)
    {
      const double rounding = convex::epsilon * largest(v.cwiseAbs());
      if (round > 0 && largest(Bv) <= tolerable * rounding)
        break;
      v = draining.drained(v, Bv, p, rounding, round > 0);
      zone->apply(v, Bv);
    }
  return v;
}
} // namespace moreau::macro
