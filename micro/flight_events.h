// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MICRO_FLIGHT_EVENTS_H
#define MOREAU_MICRO_FLIGHT_EVENTS_H

#include "micro/part_of_contacts.h"

#include <array>
#include <cstdint>
#include <limits>
#include <queue>
#include <unordered_map>
#include <vector>

namespace moreau::micro
{
/// What spheres in free flight will meet: a queue of predicted times, exact to rounding (a quadratic equation per pair), of
/// pairs that are near each other, and of spheres and walls. Near pairs are searched in O(n), and again when some sphere may
/// have met one that is not among them; up to 128 spheres all pairs are. An impact costs the neighbours of whom it moves.
class FlightEvents
{
public:
  static constexpr double never = std::numeric_limits<double>::infinity();

  /// Of events that happen at one time the first in this order comes first.
  enum class Kind
  {
    overlap, ///< a contact that an impact left approaching has closed by nearly the tolerance
    contact, ///< a gap closes
    search   ///< nothing happens, but near pairs must be searched again: search()
  };

  /// What happens next, to whom. It counts as long as the velocities of both are those of the prediction.
  struct Event
  {
    double        time; ///< s; infinite where nothing will ever happen
    Kind          kind;
    std::int32_t  i, j;       ///< i < j, j = n + w stands for wall w
    std::uint32_t of_i, of_j; ///< versions of their velocities

    bool operator>(const Event &other) const;
  };

  /// The clusters of touching spheres that an event is part of.
  struct Hit
  {
    std::vector<Index>              spheres;           ///< ascending
    std::vector<std::array<int, 2>> contacts;          ///< i < j as in Event, ordered by i, then j
    bool                            collapses = false; ///< one of them rebounds again and again without opening
  };

  /// spheres, walls and U (length d n) are the caller's, who moves them and changes U; tolerance of contacts: as of
  /// contact_graph(), at least 1e-12. Throws as contact_range().
  FlightEvents(const Spheres &spheres, const std::vector<Wall> &walls, const Vector &U, double tolerance);

  /// Searches near pairs and predicts everything. Contacts that approach are events at once.
  void search(double now);

  /// These two have just rebounded (e > 0). Until their gap is open beyond the tolerance they touch at gaps of the order of
  /// rounding alone: gaps that shrink from impact to impact are followed down to there, and a tolerance ends nothing.
  void rebound(std::int32_t i, std::int32_t j);

  /// Whether one of the contacts has rebounded and has not been open beyond the tolerance since.
  bool any_has_rebounded(const Hit &hit) const;

  /// What touches by the tolerance takes part in impacts again.
  void forget_rebounds(const Hit &hit);

  /// Predicts what the spheres of an impact will meet, whose velocities it has changed.
  void predict(const Hit &hit, double now);

  /// The first event of all.
  Event next();

  /// Takes the contacts out of the queue that have happened by now, where everything has been moved to, and others that are
  /// contacts by the tolerance already, up to the first that is none. A contact that has rebounded, separates and is not
  /// open yet is left out (it will be hit next), until the cluster collapses.
  Hit hit(double now);

private:
  using Point = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, 3, 1>; // length d, without a heap

  struct Rebounds
  {
    unsigned int n   = 0;  ///< without opening in between by what rounding lets be seen
    double       gap = 0.; ///< of the last one, where it was an overlap (m)
  };

  static std::uint64_t key(const std::int32_t i, const std::int32_t j)
  {
    return (std::uint64_t(i) << 32) + std::uint64_t(j);
  }

  Point  velocity(std::int32_t body) const;
  double gap(std::int32_t i, std::int32_t j) const;
  double rounding_of_gap(std::int32_t i, std::int32_t j) const;
  bool   touches(std::int32_t i, std::int32_t j) const;
  bool   takes_part(std::int32_t i, std::int32_t j) const;
  void   see_gap_of(std::int32_t i, std::int32_t j);
  double smaller_radius(std::int32_t i, std::int32_t j) const;
  double speed_of_approach(std::int32_t i, std::int32_t j) const;
  double rounding_of_velocities(std::int32_t i, std::int32_t j) const;
  double time_to_contact(std::int32_t i, std::int32_t j, double depth = 0.) const;
  void   predict(std::int32_t i, std::int32_t j, double now, bool is_seen);
  void   push(double time, Kind kind, std::int32_t i, std::int32_t j);
  bool   is_stale(const Event &event) const;
  void   list_pairs();
  void   choose_reach();
  void   look_far(double now);
  void   see_speed_of(Index i);

  template <class Visit>
  void for_each_partner(Index i, const Visit &visit) const;

  const Spheres           &spheres;
  const std::vector<Wall> &walls;
  const Vector            &U;
  const double             tolerance;
  const Index              dim, n;
  ContactRange             range;

  double                    reach;                                   ///< near are pairs with smaller gaps (m)
  std::vector<std::int32_t> first, partners;                         ///< near ones of every sphere, both ways
  double                    list_ends = 0.;                          ///< s: until then gaps outside of the list stay open
  double                    listed_at = 0., used = 0., fastest = 0.; ///< s, m of reach/2 since the search, m/s
  Index                     n_hits = 0;                              ///< since the search

  std::unordered_map<std::uint64_t, Rebounds> rebounds; ///< of contacts that have rebounded and are not open yet

  std::vector<std::uint32_t>                                          version; ///< of a sphere's velocity
  std::priority_queue<Event, std::vector<Event>, std::greater<Event>> queue;
};
} // namespace moreau::micro

#endif
