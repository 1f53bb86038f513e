// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/line/exact_blocks.h"

#include <cmath>
#include <stdexcept>

namespace moreau::macro
{
namespace
{
constexpr const char *walls_in_state = "walls";

void require_of_blocks(const bool is_so)
{
  if (!is_so)
    throw std::invalid_argument("The state is of no blocks.");
}
} // namespace

convex::NamedArrays ExactBlocks::state() const
{
  convex::NamedArrays state;
  state.reals["numbers"]    = {t, impulse_of_walls, work_of_force};
  state.integers["numbers"] = {impacts, collapsed, static_cast<std::int64_t>(stamps), unseen_rebounds};
  for (const Body &body : bodies)
    {
      for (const double x : {body.left, body.u, body.width, body.since})
        state.reals["bodies"].push_back(x);
      for (const std::uint64_t n : {std::uint64_t(body.begin), std::uint64_t(body.end), std::uint64_t(body.previous),
                                    std::uint64_t(body.next), body.stamp, std::uint64_t(body.unopened)})
        state.integers["bodies"].push_back(static_cast<std::int64_t>(n));
    }
  if (force.varies())
    {
      state.reals[walls_in_state]    = {force.interval(), at_walls[0].time, at_walls[1].time};
      state.integers[walls_in_state] = {static_cast<std::int64_t>(at_walls[0].what),
                                        static_cast<std::int64_t>(at_walls[1].what)};
    }
  state.reals["events"];
  state.integers["events"];
  for (auto coming = events; !coming.empty(); coming.pop())
    {
      state.reals["events"].push_back(coming.top().time);
      state.integers["events"].push_back(static_cast<std::int64_t>(coming.top().body));
      state.integers["events"].push_back(static_cast<std::int64_t>(coming.top().stamp));
    }
  return state;
}

/// Bodies from wall to wall, each the next of the one before, that share the blocks; events of these bodies. Else nothing
/// that follows links and numbers would come to an end.
void ExactBlocks::require_consistent(const convex::NamedArrays &state) const
{
  const auto                       require = require_of_blocks;
  const std::vector<double>       &reals = state.reals.at("bodies"), &times = state.reals.at("events");
  const std::vector<std::int64_t> &integers = state.integers.at("bodies"), &marks = state.integers.at("events");
  enum
  {
    begin,
    end,
    previous,
    next,
    stamp
  };
  const auto                last = static_cast<std::int64_t>(bodies.size()) - 1;
  const auto                of   = [&](const std::int64_t body, const int what) { return integers[6 * body + what]; };
  std::vector<std::int64_t> stamps_of(bodies.size(), -1); // of those that are there, but the last: nothing meets it
  require(of(0, begin) == 0 && of(0, previous) == 0 && of(last, end) == last - 1 && of(last, next) == last);
  for (std::int64_t body = 0;; body = of(body, next))
    {
      const double *const x     = &reals[4 * body]; // left, u, width, since
      const bool          fixed = body == 0 || body == last;
      require(of(body, begin) <= of(body, end) && std::isfinite(x[1]) && std::isfinite(x[3]));
      require(x[2] >= 0. && std::isfinite(x[2]) && (fixed ? !std::isnan(x[0]) : std::isfinite(x[0]) && x[2] > 0.));
      if (body == last)
        break;
      const std::int64_t following = of(body, next);
      require(body < following && following <= last && of(following, previous) == body &&
              of(following, begin) == of(body, end) && of(body, stamp) >= 0);
      stamps_of[body] = of(body, stamp);
    }
  for (std::size_t k = 0; k < times.size(); ++k)
    {
      require(marks[2 * k] >= 0 && marks[2 * k] <= last && !std::isnan(times[k]));
      const std::int64_t mark = stamps_of[marks[2 * k]];
      require(mark >= 0 || marks[2 * k + 1] != of(marks[2 * k], stamp)); // no event of what is gone is still valid
    }
}

void ExactBlocks::restore(const convex::NamedArrays &state)
{
  const std::vector<double>       &reals = state.reals.at("bodies"), &times = state.reals.at("events");
  const std::vector<std::int64_t> &integers = state.integers.at("bodies"), &marks = state.integers.at("events");
  if (reals.size() != 4 * bodies.size() || integers.size() != 6 * bodies.size() || marks.size() != 2 * times.size())
    throw std::invalid_argument("The state is of another number of blocks.");
  require_consistent(state);
  t                = state.reals.at("numbers").at(0);
  impulse_of_walls = state.reals.at("numbers").at(1);
  work_of_force    = state.reals.at("numbers").at(2);
  impacts          = static_cast<unsigned int>(state.integers.at("numbers").at(0));
  collapsed        = static_cast<unsigned int>(state.integers.at("numbers").at(1));
  unseen_rebounds  = static_cast<unsigned int>(state.integers.at("numbers").at(3));
  stamps           = static_cast<std::uint64_t>(state.integers.at("numbers").at(2));
  for (std::size_t k = 0; k < bodies.size(); ++k)
    {
      const double *const       x    = &reals[4 * k];
      const std::int64_t *const n    = &integers[6 * k];
      const auto                size = [&](const int i) { return static_cast<std::size_t>(n[i]); };
      bodies[k]                      = {size(0),
                                        size(1),
                                        x[0],
                                        x[1],
                                        x[2],
                                        x[3],
                                        bodies[k].fixed,
                                        size(2),
                                        size(3),
                                        size(4),
                                        static_cast<unsigned int>(n[5])};
    }
  if (force.varies())
    {
      const std::vector<double>       &walls = state.reals.at(walls_in_state);
      const std::vector<std::int64_t> &what  = state.integers.at(walls_in_state);
      require_of_blocks(walls.size() == 3 && what.size() == 2 && walls[0] > 0. && std::isfinite(walls[0]));
      force = UniformForce(parameters.force_in_time, walls[0]);
      for (const std::size_t side : {0, 1})
        {
          require_of_blocks(walls[1 + side] >= t && 0 <= what[side] && what[side] <= 2);
          at_walls[side] = {walls[1 + side], static_cast<AtWall>(what[side])};
        }
      force.prepare(t);
    }
  events = {};
  for (std::size_t k = 0; k < times.size(); ++k)
    events.push({times[k], static_cast<std::size_t>(marks[2 * k]), static_cast<std::uint64_t>(marks[2 * k + 1])});
  write_blocks();
}
} // namespace moreau::macro
