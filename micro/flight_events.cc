// SPDX-License-Identifier: GPL-3.0-or-later
#include "micro/flight_events.h"

#include "micro/pair_search.h"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace moreau::micro
{
namespace
{
constexpr Index few           = 128; ///< spheres: all pairs are near
constexpr Index most_partners = 64;  ///< of a sphere on average, when the reach grows

constexpr unsigned int most_rebounds = 20; ///< of a contact that does not open in between: more are a collapse

/// |r × v|².
template <class Point>
double squared_moment(const Point &r, const Point &v)
{
  double sum = 0.;
  for (Index a = 0; a < r.size(); ++a)
    for (Index b = a + 1; b < r.size(); ++b)
      sum += std::pow(r(a) * v(b) - r(b) * v(a), 2);
  return sum;
}
} // namespace

bool FlightEvents::Event::operator>(const Event &other) const
{
  return std::tie(time, kind, i, j) > std::tie(other.time, other.kind, other.i, other.j);
}

FlightEvents::FlightEvents(const Spheres &spheres, const std::vector<Wall> &walls, const Vector &U, const double tolerance)
    : spheres(spheres)
    , walls(walls)
    , U(U)
    , tolerance(tolerance)
    , dim(spheres.dimension())
    , n(spheres.size())
    , reach(spheres.R.mean())
    , version(n, 0)
{
  range = contact_range(spheres, walls, tolerance);
}

FlightEvents::Point FlightEvents::velocity(const std::int32_t body) const
{
  return body < n ? Point(U.segment(dim * body, dim)) : Point(walls[body - n].velocity);
}

double FlightEvents::smaller_radius(const std::int32_t i, const std::int32_t j) const
{
  return j < n ? std::min(spheres.R(i), spheres.R(j)) : spheres.R(i);
}

double FlightEvents::gap(const std::int32_t i, const std::int32_t j) const
{
  if (j >= n)
    return walls[j - n].normal.dot(spheres.r.col(i)) - walls[j - n].offset - spheres.R(i);
  return (spheres.r.col(j) - spheres.r.col(i)).norm() - spheres.R(i) - spheres.R(j);
}

/// Of a contact that has rebounded: what is nearer is closed (m).
double FlightEvents::rounding_of_gap(const std::int32_t i, const std::int32_t j) const
{
  return 1e-12 * smaller_radius(i, j) + range.rounding;
}

bool FlightEvents::touches(const std::int32_t i, const std::int32_t j) const
{
  const double g = gap(i, j);
  return g <= range(smaller_radius(i, j)) && (g <= rounding_of_gap(i, j) || rebounds.count(key(i, j)) == 0);
}

/// Of an impact beside them, which they touch.
bool FlightEvents::takes_part(const std::int32_t i, const std::int32_t j) const
{
  return touches(i, j) && (rebounds.count(key(i, j)) == 0 || speed_of_approach(i, j) >= 0.);
}

/// The largest since their last impact: gaps are convex in time while velocities stay.
void FlightEvents::see_gap_of(const std::int32_t i, const std::int32_t j)
{
  const auto found = rebounds.find(key(i, j));
  if (found == rebounds.end())
    return;
  const double g = gap(i, j);
  if (g > range(smaller_radius(i, j)))
    rebounds.erase(found);
  else if (g > found->second.gap + rounding_of_gap(i, j))
    found->second.n = 0;
}

void FlightEvents::rebound(const std::int32_t i, const std::int32_t j)
{
  Rebounds &of = rebounds[key(i, j)];
  ++of.n;
  of.gap = std::min(0., gap(i, j));
}

bool FlightEvents::any_has_rebounded(const Hit &hit) const
{
  return std::any_of(hit.contacts.begin(), hit.contacts.end(),
                     [&](const auto &contact) { return rebounds.count(key(contact[0], contact[1])) > 0; });
}

void FlightEvents::forget_rebounds(const Hit &hit)
{
  for (const auto &[i, j] : hit.contacts)
    rebounds.erase(key(i, j));
}

double FlightEvents::speed_of_approach(const std::int32_t i, const std::int32_t j) const
{
  if (j >= n)
    return walls[j - n].normal.dot(velocity(j) - velocity(i));
  const Point r_ij = spheres.r.col(j) - spheres.r.col(i);
  return r_ij.dot(velocity(i) - velocity(j)) / r_ij.norm();
}

/// Velocities that differ by less are the same up to rounding.
double FlightEvents::rounding_of_velocities(const std::int32_t i, const std::int32_t j) const
{
  return 16. * std::numeric_limits<double>::epsilon() * (velocity(i).norm() + velocity(j).norm());
}

/// The first t >= 0 with |Δr + t Δv| = R_i + R_j - depth, or so deep in the wall, for what is not as deep yet; infinite if
/// there is none.
double FlightEvents::time_to_contact(const std::int32_t i, const std::int32_t j, const double depth) const
{
  if (j >= n)
    {
      const double approach = speed_of_approach(i, j);
      return approach > rounding_of_velocities(i, j) ? std::max(0., (gap(i, j) + depth) / approach) : never;
    }
  const Point  r_ij = spheres.r.col(j) - spheres.r.col(i), v_ij = velocity(j) - velocity(i);
  const double approach = -r_ij.dot(v_ij);
  if (!(approach > 0.) || !(v_ij.norm() > rounding_of_velocities(i, j)))
    return never;
  const double distance = r_ij.norm(), R_ij = spheres.R(i) + spheres.R(j) - depth;
  const double c = (distance - R_ij) * (distance + R_ij); // free of cancellation, and so is what follows, as (r·v)² - |v|² c
  const double disc = v_ij.squaredNorm() * R_ij * R_ij - squared_moment(r_ij, v_ij);
  return disc < 0. ? never : std::max(0., c / (approach + std::sqrt(disc)));
}

void FlightEvents::push(const double time, const Kind kind, const std::int32_t i, const std::int32_t j)
{
  queue.push({time, kind, i, j, version[i], j < n ? version[j] : 0});
}

bool FlightEvents::is_stale(const Event &event) const
{
  return event.of_i != version[event.i] || (event.j < n && event.of_j != version[event.j]);
}

/// is_seen: an impact has just seen the contact, and left it as it is.
void FlightEvents::predict(const std::int32_t i, const std::int32_t j, const double now, const bool is_seen)
{
  see_gap_of(i, j);
  if (!touches(i, j))
    {
      const double t = time_to_contact(i, j);
      if (t < never)
        push(now + t, Kind::contact, i, j);
      return;
    }
  // what is slower than velocities are rounded does not show in coordinates, whose rounding range() knows
  const double approach = speed_of_approach(i, j);
  if (!(approach > rounding_of_velocities(i, j)))
    return;
  if (!is_seen)
    return push(now, Kind::contact, i, j);
  if (const double t = time_to_contact(i, j, .9 * tolerance * smaller_radius(i, j)); t < never) // else they slide apart
    push(now + t, Kind::overlap, i, j);
}

template <class Visit>
void FlightEvents::for_each_partner(const Index i, const Visit &visit) const
{
  for (std::int32_t k = first[i]; k < first[i + 1]; ++k)
    visit(partners[k]);
  for (std::size_t w = 0; w < walls.size(); ++w)
    visit(static_cast<std::int32_t>(n + w));
}

void FlightEvents::list_pairs()
{
  first.assign(n + 1, 0);
  std::vector<std::array<std::int32_t, 2>> pairs;
  if (n <= few)
    for (std::int32_t i = 0; i < n; ++i)
      for (std::int32_t j = i + 1; j < n; ++j)
        pairs.push_back({i, j});
  else
    {
      const PairSearch search(spheres.r, spheres.R.array() + .5 * reach, {});
      for (const NearPair &pair : search.pairs([](const NearPair &) { return true; }))
        pairs.push_back({pair.i, pair.j});
    }
  for (const auto &[i, j] : pairs)
    ++first[i + 1], ++first[j + 1];
  for (Index i = 0; i < n; ++i)
    first[i + 1] += first[i];
  partners.resize(first[n]);
  std::vector<std::int32_t> place(first.begin(), first.end() - 1);
  for (const auto &[i, j] : pairs)
    {
      partners[place[i]++] = j;
      partners[place[j]++] = i;
    }
}

/// Longer where little happened since the last search, shorter where much did; always far beyond what counts as a contact.
void FlightEvents::choose_reach()
{
  if (!first.empty())
    {
      if (n_hits < n / 8 && first[n] < most_partners * n)
        reach *= 2.;
      else if (n_hits > 4 * n)
        reach *= .5;
    }
  const double R = spheres.R.mean();
  reach          = std::max({reach, .25 * R, 4. * tolerance * R, 4. * range(spheres.R.maxCoeff())});
}

void FlightEvents::see_speed_of(const Index i) { fastest = std::max(fastest, velocity(i).norm()); }

void FlightEvents::search(const double now)
{
  range = contact_range(spheres, walls, tolerance);
  choose_reach();
  list_pairs();
  queue     = {};
  n_hits    = 0;
  listed_at = now;
  used      = 0.;
  fastest   = 0.;
  for (auto of = rebounds.begin(); of != rebounds.end();) // of those that are not near any more, too
    {
      const auto i = static_cast<std::int32_t>(of->first >> 32), j = static_cast<std::int32_t>(of->first & 0xffffffff);
      of = gap(i, j) > range(smaller_radius(i, j)) ? rebounds.erase(of) : std::next(of);
    }
  for (std::int32_t i = 0; i < n; ++i)
    {
      see_speed_of(i);
      for_each_partner(i, [&](const std::int32_t j) {
        if (i < j)
          predict(i, j, now, false); // nobody knows whether an impact has seen it
      });
    }
  list_ends = n <= few || fastest == 0. ? never : now + .5 * reach / fastest;
  if (list_ends < never && queue.empty())
    look_far(now);
}

/// Where no near pair will meet: the first of all pairs that does, after which near ones are searched again.
void FlightEvents::look_far(const double now)
{
  double       least   = never;
  std::int32_t i_least = 0, j_least = 0;
  for (std::int32_t i = 0; i < n; ++i)
    for (std::int32_t j = i + 1; j < n; ++j)
      if (const double t = time_to_contact(i, j); t < least && !touches(i, j))
        {
          least   = t;
          i_least = i;
          j_least = j;
        }
  if (least < never)
    push(now + least, Kind::contact, i_least, j_least);
  list_ends = now + least;
}

void FlightEvents::predict(const Hit &hit, const double now)
{
  const std::vector<Index> &changed = hit.spheres;
  ++n_hits;
  used += (now - listed_at) * fastest;
  listed_at = now;
  for (const Index i : changed)
    {
      ++version[i];
      see_speed_of(i);
    }
  const auto predict_pair = [&](const std::int32_t i, const std::int32_t j) {
    predict(i, j, now, std::binary_search(hit.contacts.begin(), hit.contacts.end(), std::array<int, 2>{i, j}));
  };
  for (const Index i : changed)
    for_each_partner(i, [&](const std::int32_t j) {
      if (j > i)
        predict_pair(i, j);
      else if (!std::binary_search(changed.begin(), changed.end(), j))
        predict_pair(j, i);
    });
  if (n > few && fastest > 0.)
    list_ends = std::min(list_ends, now + std::max(0., .5 * reach - used) / fastest);
}

FlightEvents::Event FlightEvents::next()
{
  while (!queue.empty() && is_stale(queue.top()))
    queue.pop();
  if (!queue.empty() && queue.top().time <= list_ends)
    return queue.top();
  return {list_ends, Kind::search, 0, 0, 0, 0};
}

FlightEvents::Hit FlightEvents::hit(const double now)
{
  Hit                       result;
  std::vector<std::int32_t> found; // spheres whose clusters are part of it
  while (true)
    {
      const Event event = next();
      if (event.kind != Kind::contact || !(event.time <= now || touches(event.i, event.j)))
        break;
      queue.pop();
      if (!touches(event.i, event.j)) // rounding of the way: a little later
        {
          if (const double t = time_to_contact(event.i, event.j); t < never)
            push(std::max(now + t, std::nextafter(now, never)), Kind::contact, event.i, event.j);
          continue;
        }
      const auto of    = rebounds.find(key(event.i, event.j));
      result.collapses = result.collapses || (of != rebounds.end() && of->second.n > most_rebounds);
      found.push_back(event.i);
      if (event.j < n)
        found.push_back(event.j);
    }

  std::vector<bool> is_in(n, false);
  const auto        add = [&](const std::int32_t i) {
    if (is_in[i])
      return;
    is_in[i] = true;
    result.spheres.push_back(i);
  };
  for (const std::int32_t i : found)
    add(i);
  for (std::size_t k = 0; k < result.spheres.size(); ++k) // grows on the way
    {
      const auto i = static_cast<std::int32_t>(result.spheres[k]);
      for_each_partner(i, [&](const std::int32_t j) {
        const auto [least, most] = std::minmax(i, j);
        if (!(result.collapses ? touches(least, most) : takes_part(least, most)))
          return;
        if (i < j)
          result.contacts.push_back({i, j});
        if (j < n)
          add(j);
      });
    }
  std::sort(result.spheres.begin(), result.spheres.end());
  std::sort(result.contacts.begin(), result.contacts.end());
  return result;
}
} // namespace moreau::micro
