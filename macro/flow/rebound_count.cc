// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/flow/rebound_count.h"

#include "macro/flow/flow_state.h"

#include <algorithm>
#include <limits>

namespace moreau::macro
{
namespace
{
constexpr const char *times_in_state = "rebounds of matter", *last_in_state = "last rebound",
                     *most_in_state = "most rebounds";
} // namespace

void ReboundCount::move(const FaceCells &flux, const double h, const CellArray &rho)
{
  if (largest == 0)
    return;
  constexpr double noticed      = .05; // of what is in the cell afterwards
  const CellArray  times_before = times, last_before = last;
  grid.for_cells([&](const Index c) {
    const double enough = noticed * rho.values(c);
    double       stayed = rho.values(c), most = 0., latest = 0.;
    const auto   take = [&](const Index donor, const double mass) {
      stayed -= std::max(mass, 0.);
      if (mass > 0. && mass >= enough)
        {
          most   = std::max(most, times_before.values(donor));
          latest = std::max(latest, last_before.values(donor));
        }
    };
    for (int axis = 0; axis < grid.dim(); ++axis)
      {
        const Index  s     = grid.stride(axis);
        const double per_h = h / grid.box().h(axis);
        take(c - s, per_h * flux[axis].values(c));
        take(c + s, -per_h * flux[axis].values(c + s));
      }
    take(c, stayed);
    times.values(c) = most;
    last.values(c)  = latest;
  });
  grid.exchange(times);
  grid.exchange(last);
}

/// Whether open faces of pressed cells move alike, to 1e-6 of the fastest.
template <class F>
bool ReboundCount::has_one_velocity(const FaceCells &U, F &&is_pressed) const
{
  constexpr double rounding = 1e-6;
  double           apart = 0., fastest = 0.;
  for (int axis = 0; axis < grid.dim(); ++axis)
    {
      double      most = -std::numeric_limits<double>::infinity(), opposite = most; // of U, of -U
      const Index s = grid.stride(axis);
      grid.for_cells([&](const Index c) {
        if (is_pressed(c))
          for (const Index face : {c, c + s})
            if (grid.open(axis)(face) > 0.)
              {
                most     = std::max(most, U[axis].values(face));
                opposite = std::max(opposite, -U[axis].values(face));
              }
      });
      most     = grid.largest(most);
      opposite = grid.largest(opposite);
      apart    = std::max(apart, most + opposite); // -inf where nothing is pressed
      fastest  = std::max({fastest, most, opposite});
    }
  return apart <= rounding * fastest;
}

void ReboundCount::rebound(const CellArray &q, const FaceCells &U, const std::int64_t step)
{
  constexpr std::int64_t one_collision = 2;    // steps
  constexpr double       pressed       = 1e-9; // of the largest q
  double                 largest_q = 0., most = 0.;
  grid.for_cells([&](const Index c) { largest_q = std::max(largest_q, q.values(c)); });
  largest_q             = grid.largest(largest_q);
  const auto is_pressed = [&](const Index c) { return q.values(c) > pressed * largest_q; };
  between_bodies        = between_bodies || !has_one_velocity(U, is_pressed);
  grid.for_cells([&](const Index c) {
    if (!is_pressed(c))
      return;
    const bool is_another = times.values(c) == 0. || static_cast<double>(step) - last.values(c) > one_collision;
    times.values(c) += is_another;
    last.values(c) = static_cast<double>(step);
    most           = std::max(most, times.values(c));
  });
  largest = std::max(largest, static_cast<std::int64_t>(grid.largest(most)));
  grid.exchange(times);
  grid.exchange(last);
}

void ReboundCount::put_into(convex::NamedArrays &state) const
{
  state.reals[times_in_state]   = convex::values(times.values);
  state.reals[last_in_state]    = convex::values(last.values);
  state.integers[most_in_state] = {largest, between_bodies};
}

void ReboundCount::take_from(const convex::NamedArrays &state)
{
  const std::vector<std::int64_t> &most = integers_of(state, most_in_state);
  if (most.size() != 2)
    throw_other_flow();
  read_reals(state, times_in_state, times.values);
  read_reals(state, last_in_state, last.values);
  largest        = most[0];
  between_bodies = most[1] != 0;
}
} // namespace moreau::macro
