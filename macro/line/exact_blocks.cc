// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/line/exact_blocks.h"

#include "convex/input_error.h"
#include "convex/law.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

namespace moreau::macro
{
namespace
{
constexpr double       never                = std::numeric_limits<double>::infinity();
constexpr unsigned int allowed_unopened     = 20; // more impacts without a visible gap in between are a collapse
constexpr unsigned int allowed_repetitions  = convex::Law().max_repetitions; // in one impact
constexpr double       negligible_approach  = 1e-12; // of the first approach: later ones belong to an endless sequence
constexpr double       rounding_of_ends     = 4. * std::numeric_limits<double>::epsilon(); // sums of places and widths
constexpr double       rounding_of_velocity = 8. * std::numeric_limits<double>::epsilon();

/// First s >= 0 at which a gap g + ws + as²/2, g >= 0, closes while it is getting narrower; `never` if it does not.
double time_to_meet(const double g, const double w, const double a)
{
  if (a == 0.)
    return w < 0. ? g / -w : never;
  const double discriminant = w * w - 2. * a * g;
  if (a > 0.)
    return w < 0. && discriminant > 0. ? 2. * g / (-w + std::sqrt(discriminant)) : never;
  const double root = std::sqrt(discriminant); // each of the two forms is free of cancellation where it is used
  return w >= 0. ? (w + root) / -a : 2. * g / (root - w);
}

[[noreturn]] void refuse_zone(const std::string &message) { throw InputError("the blocks", message); }
} // namespace

ExactBlocks::ExactBlocks(std::vector<Block> blocks, const Parameters &parameters)
    : moving(std::move(blocks))
    , parameters(parameters)
    , force(parameters.force_in_time ? UniformForce(parameters.force_in_time, parameters.force_interval)
                                     : UniformForce(parameters.force))
{
  std::stable_sort(moving.begin(), moving.end(), [](const Block &a, const Block &b) { return a.left < b.left; });
  double extent = 0.;
  for (const Block &block : moving)
    extent = std::max({extent, std::abs(block.left), std::abs(block.left + block.width)});
  for (const double wall : {parameters.walls.left, parameters.walls.right})
    if (std::isfinite(wall))
      extent = std::max(extent, std::abs(wall));
  closed = parameters.touching * extent;
  check();
  initial_momentum = momentum();
  force.prepare(0.);
  set_up_bodies();
  run_to(0.);
}

void ExactBlocks::check() const
{
  if (!(0. <= parameters.restitution && parameters.restitution <= 1.))
    throw InputError("the restitution", std::to_string(parameters.restitution) + " is given; it must lie in [0, 1].");
  if (!std::isfinite(parameters.force))
    throw InputError("the force", "The force on the blocks is not finite; give a number.");
  const auto [wall_left, wall_right] = parameters.walls;
  if (!(wall_left < wall_right))
    refuse_zone("The left wall is not on the left of the right one; exchange them.");
  for (std::size_t k = 0; k < moving.size(); ++k)
    {
      const auto [left, width, u] = moving[k];
      const std::string name      = "The block at x = " + std::to_string(left);
      if (!std::isfinite(left) || !std::isfinite(width) || width <= 0.)
        refuse_zone(name + " has width " + std::to_string(width) +
                    "; place and width must be finite, and the width positive.");
      if (!std::isfinite(u))
        throw InputError("the velocity of the blocks", name + " has no finite velocity; give a number.");
      if (left < wall_left - closed || left + width > wall_right + closed)
        refuse_zone(name + " reaches into a wall; blocks must lie between the walls.");
      if (k > 0 && moving[k - 1].left + moving[k - 1].width > left + closed)
        refuse_zone(name + " overlaps the one on its left; the density must be at most 1.");
    }
}

void ExactBlocks::set_up_bodies()
{
  const std::size_t n = moving.size();
  offsets.assign(n + 1, 0.);
  bodies.reserve(n + 2);
  bodies.push_back({0, 0, parameters.walls.left, 0., 0., 0., true, 0, 1});
  for (std::size_t k = 0; k < n; ++k)
    {
      offsets[k + 1] = offsets[k] + moving[k].width;
      bodies.push_back({k, k + 1, moving[k].left, moving[k].u, moving[k].width, 0., false, k, k + 2});
    }
  bodies.push_back({n, n, parameters.walls.right, 0., 0., 0., true, n, n + 1});

  for (std::size_t begin = 0, end; begin <= n; begin = end + 1) // rows of touching bodies
    {
      double fastest = std::abs(bodies[begin].u);
      for (end = begin; end <= n && gap(end) <= closed; ++end)
        {
          fastest = std::max(fastest, std::abs(bodies[end + 1].u));
          closed_gaps += gap(end) > rounding_of_ends * std::max(std::abs(right_end(bodies[end])), bodies[end].width);
        }
      stick(begin, end, fastest);
    }
  for (std::size_t body = 0; body <= n; body = bodies[body].next)
    schedule(body);
}

double ExactBlocks::left_end(const Body &body) const
{
  return body.fixed ? body.left : body.left + force.way(body.u, body.since, t);
}

void ExactBlocks::advance(const double t_end)
{
  if (!(t_end >= t) || !std::isfinite(t_end))
    throw std::invalid_argument("ExactBlocks: time does not run backwards");
  for (Body &body : bodies)
    body.hits = 0;
  run_to(t_end);
}

void ExactBlocks::run_to(const double t_end)
{
  const double rounding = 4. * std::numeric_limits<double>::epsilon() * t_end; // an impact at t_end has happened then
  until                 = t_end;
  for (;;)
    {
      while (!events.empty() && events.top().stamp != bodies[events.top().body].stamp)
        events.pop();
      const int       side      = at_walls[1].time < at_walls[0].time;
      const double    of_bodies = events.empty() ? never : events.top().time;
      const WallEvent at_wall   = at_walls[side]; // what is beyond t_end need not be known
      const double    of_wall   = at_wall.what == AtWall::look && !(at_wall.time < t_end) ? never : at_wall.time;
      if (!(std::min(of_bodies, of_wall) <= t_end + rounding))
        break;
      pass_time_to(std::clamp(std::min(of_bodies, of_wall), t, t_end));
      if (of_wall < of_bodies)
        take_wall_event(side);
      else
        {
          const std::size_t contact = events.top().body;
          events.pop();
          impact(contact);
        }
    }
  pass_time_to(t_end);
  write_blocks();
}

/// Walls carry what rests on them. The force works on the others, whose momentum is that of all.
void ExactBlocks::pass_time_to(const double t_next)
{
  force.prepare(t_next);
  const double resting = bodies.front().width + bodies.back().width, gained = force.velocity(t, t_next);
  const double momentum = initial_momentum + offsets.back() * force.velocity(0., t) + impulse_of_walls;
  work_of_force += gained * (momentum + .5 * (offsets.back() - resting) * gained);
  impulse_of_walls -= resting * gained;
  t = t_next;
}

void ExactBlocks::impact(const std::size_t contact)
{
  gather(contact, false);
  const bool collapsing = note_impact();
  if (collapsing)
    gather(contact, true);
  double fastest = 0.;
  for (const double u : U)
    fastest = std::max(fastest, std::abs(u));
  apply_law(fastest, collapsing);

  for (std::size_t k = 0; k < sites.size(); ++k)
    {
      Body &body = bodies[sites[k]];
      body.left  = left_end(body);
      body.u     = U[k];
      body.since = t;
    }
  const std::size_t before = bodies[first].fixed ? first : bodies[first].previous, after = bodies[last].next;
  stick(first, last, fastest);
  for (std::size_t body = before; body != after && body + 1 < bodies.size(); body = bodies[body].next)
    schedule(body);
}

/// Whether an impact goes on through this contact: where it is closed. A contact that was hit, separates and has not opened
/// yet is left out (it will be hit next): these are the last impacts of a collapse, which one impact of all would break off
/// before they have slowed down.
bool ExactBlocks::takes_part(const std::size_t body, const bool all_closed) const
{
  return gap(body) <= closed &&
         (all_closed || bodies[body].unopened == 0 || velocity(bodies[body]) >= velocity(bodies[bodies[body].next]));
}

/// The bodies that take part in the impact of this contact.
void ExactBlocks::gather(const std::size_t contact, const bool all_closed)
{
  first = contact;
  last  = bodies[contact].next;
  while (!bodies[first].fixed && takes_part(bodies[first].previous, all_closed))
    first = bodies[first].previous;
  while (!bodies[last].fixed && takes_part(last, all_closed))
    last = bodies[last].next;

  sites.clear();
  U.clear();
  widths.clear();
  for (std::size_t body = first;; body = bodies[body].next)
    {
      if (!bodies[body].fixed)
        {
          sites.push_back(body);
          U.push_back(velocity(bodies[body]));
          widths.push_back(bodies[body].width);
        }
      if (body == last)
        break; // the right wall is its own next
    }
  P.resize(U.size());
}

/// Counts, and says whether contacts of the cluster collapse. The gap of a contact that is hit was at most (approach) x
/// (time since one of its bodies was hit last).
bool ExactBlocks::note_impact()
{
  bool collapsing = false, unseen = false;
  for (std::size_t i = first; i != last; i = bodies[i].next)
    {
      const Body  &next     = bodies[bodies[i].next];
      const double approach = velocity(bodies[i]) - velocity(next);
      if (approach <= 0.)
        continue;
      const bool opened  = approach * (t - std::max(bodies[i].since, next.since)) > closed;
      bodies[i].unopened = opened ? 1 : bodies[i].unopened + 1;
      collapsing |= bodies[i].unopened > allowed_unopened;
      unseen |= bodies[i].unopened > 1;
    }
  unseen_rebounds += unseen;
  for (const std::size_t body : sites)
    collapsing |= ++bodies[body].hits > parameters.max_impacts;
  return collapsing;
}

/// U⁺ = U - (1+e)(U - PU), repeated until no contact of the cluster is approached (the law leaves the cone where a contact
/// is pressed that U separates). The last projection only takes rounding away.
void ExactBlocks::apply_law(const double fastest, bool collapsing)
{
  const bool wall_below = bodies[first].fixed, wall_above = bodies[last].fixed;
  const auto approach = [&] {
    double largest = std::max(wall_below ? -U.front() : 0., wall_above ? U.back() : 0.);
    for (std::size_t k = 1; k < U.size(); ++k)
      largest = std::max(largest, U[k - 1] - U[k]);
    return largest;
  };
  const auto momentum = [&] {
    double sum = 0.;
    for (std::size_t k = 0; k < U.size(); ++k)
      sum += widths[k] * U[k];
    return sum;
  };

  const double momentum_before = momentum(), first_approach = approach();
  for (unsigned int n = 0; approach() > rounding_of_velocity * fastest; ++n)
    {
      collapsing = collapsing || n == allowed_repetitions || approach() < negligible_approach * first_approach;
      project();
      const double e = collapsing ? 0. : parameters.restitution;
      for (std::size_t k = 0; k < U.size(); ++k)
        U[k] = P[k] - e * (U[k] - P[k]);
      ++impacts;
    }
  project();
  U = P;
  if (wall_below || wall_above)
    impulse_of_walls += momentum() - momentum_before;
  if (collapsing && parameters.restitution > 0.)
    ++collapsed;
}

/// P = the isotonic regression of U with the masses of the cluster; next to walls, which do not move, cut off at 0.
void ExactBlocks::project()
{
  const double low = bodies[first].fixed ? 0. : -never, high = bodies[last].fixed ? 0. : never;
  regression.project(static_cast<convex::Index>(U.size()), U.data(), widths.data(), P.data());
  for (double &u : P)
    u = std::clamp(u, low, high);
}

/// Merges those of the touching bodies begin ... end that will never separate.
void ExactBlocks::stick(const std::size_t begin, const std::size_t end, const double fastest)
{
  for (std::size_t body = begin; body != end;)
    if (!sticks_to_next(body, rounding_of_velocity * fastest))
      body = bodies[body].next;
    else
      {
        const bool at_the_end = bodies[body].next == end;
        merge(body);
        if (at_the_end)
          break;
      }
}

/// Equal velocities do where accelerations are equal; on a wall, where the force does not pull away from it.
bool ExactBlocks::sticks_to_next(const std::size_t body, const double resolution) const
{
  const Body &left = bodies[body], &right = bodies[left.next];
  if (left.fixed && right.fixed)
    return false;
  if ((left.fixed && is_pulled_off(0)) || (right.fixed && is_pulled_off(1)))
    return false;
  const double shortest_hop =
      left.fixed || right.fixed ? 4. * std::numeric_limits<double>::epsilon() * t : 0.; // else time stands still
  return std::abs(velocity(left) - velocity(right)) <= resolution + std::abs(force.value(t)) * shortest_hop;
}

/// Of a body with the next one, at the time t; the centre of mass stays.
void ExactBlocks::merge(const std::size_t body)
{
  const std::size_t next   = bodies[body].next;
  const bool        upward = bodies[next].fixed; // else the left one survives
  Body             &kept = bodies[upward ? next : body], &gone = bodies[upward ? body : next];
  if (upward)
    kept.left -= gone.width;
  else if (!kept.fixed)
    {
      const double left = left_end(kept), other = left_end(gone) - kept.width, u = velocity(kept);
      const double part = gone.width / (kept.width + gone.width);
      kept.left         = left + (other - left) * part;
      kept.u            = u + (velocity(gone) - u) * part;
      kept.since        = t;
    }
  kept.begin = std::min(kept.begin, gone.begin);
  kept.end   = std::max(kept.end, gone.end);
  kept.width += gone.width;
  kept.hits  = std::max(kept.hits, gone.hits);
  gone.stamp = ++stamps; // its events are void
  if (upward)
    {
      kept.previous               = gone.previous;
      bodies[gone.previous].next  = next;
      bodies[gone.previous].stamp = ++stamps;
      return;
    }
  kept.unopened              = gone.unopened;
  kept.next                  = gone.next;
  bodies[gone.next].previous = body;
}

/// When a body and the next one will meet, if nothing happens to them before. Replaces what was scheduled.
void ExactBlocks::schedule(const std::size_t body)
{
  Body       &left  = bodies[body];
  const Body &right = bodies[left.next];
  left.stamp        = ++stamps;
  if (force.varies() && (left.fixed || right.fixed))
    {
      for (const int side : {0, 1})
        if (side == 0 ? left.fixed : right.fixed)
          look_at_wall(side);
      return;
    }
  const double g = std::max(gap(body), 0.);
  if (!(g < never) || (left.fixed && right.fixed))
    return;
  const double w    = velocity(right) - velocity(left);
  const double a    = (right.fixed ? 0. : parameters.force) - (left.fixed ? 0. : parameters.force);
  const double time = g <= closed && w < 0. ? t : t + time_to_meet(g, w, a);
  if (time < never)
    events.push({time, body, left.stamp});
}

/// Whether the force pulls away from a wall.
bool ExactBlocks::is_pulled_off(const int side) const { return (side == 0 ? 1. : -1.) * force.value(t) > 0.; }

/// What happens next at a wall, until the interval of the force ends that holds the time of now.
void ExactBlocks::look_at_wall(const int side)
{
  const double sign = side == 0 ? 1. : -1.;
  const Body  &wall = side == 0 ? bodies.front() : bodies.back(), &body = bodies[side == 0 ? wall.next : wall.previous];
  const double g = body.fixed ? never : std::max(gap(side == 0 ? 0 : wall.previous), 0.);
  at_walls[side] = {};
  if (!(g < never) && !(wall.width > 0.))
    return;
  at_walls[side].time = t;
  if (!(t < until))
    return; // the force need not be known beyond
  const double end = force.end_of_interval(t), later = std::nextafter(t, never);
  force.prepare(end);
  at_walls[side].time = end;
  if (wall.width > 0.)
    if (const double time = force.pull(t, sign); time < never)
      at_walls[side] = {time, AtWall::release};
  if (!(g < never))
    return;
  const double w    = sign * velocity(body);
  const double time = g <= closed && w < 0. ? t : std::max(later, force.meeting(t, g, w, sign));
  if (time < at_walls[side].time)
    at_walls[side] = {time, AtWall::meeting};
}

void ExactBlocks::take_wall_event(const int side)
{
  switch (at_walls[side].what)
    {
      case AtWall::look:
        look_at_wall(side);
        return;
      case AtWall::meeting:
        impact(side == 0 ? 0 : bodies.back().previous);
        return;
      case AtWall::release:
        release(side);
    }
}

/// What rests on a wall becomes one body again, in the place of its first block, which is free.
void ExactBlocks::release(const int side)
{
  Body             &wall  = side == 0 ? bodies.front() : bodies.back();
  const std::size_t index = wall.begin + 1, at_wall = side == 0 ? 0 : bodies.size() - 1;
  Body             &body = bodies[index];
  body                   = {wall.begin, wall.end, wall.left, 0., wall.width, t, false, at_wall, at_wall};
  if (side == 0)
    {
      body.next                  = wall.next;
      body.unopened              = wall.unopened; // of the contact with the next one
      bodies[wall.next].previous = index;
      wall.next                  = index;
      wall.end                   = wall.begin;
      wall.unopened              = 0;
    }
  else
    {
      body.previous              = wall.previous;
      bodies[wall.previous].next = index;
      wall.previous              = index;
      wall.begin                 = wall.end;
      wall.left                  = parameters.walls.right;
    }
  wall.width = 0.;
  schedule(body.previous);
  schedule(index);
}

void ExactBlocks::write_blocks()
{
  for (const Body *body = &bodies.front();; body = &bodies[body->next])
    {
      const double left = left_end(*body), u = velocity(*body);
      for (std::size_t k = body->begin; k < body->end; ++k)
        {
          moving[k].left = left + (offsets[k] - offsets[body->begin]);
          moving[k].u    = u;
        }
      if (body == &bodies.back())
        break;
    }
}

double ExactBlocks::kinetic_energy() const
{
  double energy = 0.;
  for (const Block &block : moving)
    energy += .5 * block.width * block.u * block.u;
  return energy;
}

double ExactBlocks::momentum() const
{
  double sum = 0.;
  for (const Block &block : moving)
    sum += block.width * block.u;
  return sum;
}

} // namespace moreau::macro
