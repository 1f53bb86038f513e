// SPDX-License-Identifier: GPL-3.0-or-later
#include "micro/contact_graph.h"

#include "micro/common_directions.h"
#include "micro/hierarchical_grid.h"
#include "micro/pair_search.h"
#include "micro/part_of_contacts.h"

#include "convex/input_error.h"
#include "convex/number_text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <sstream>
#include <stdexcept>

namespace moreau::micro
{
namespace
{
constexpr double infinity = std::numeric_limits<double>::infinity();
double           gap(const Spheres &spheres, const Index i, const Index j)
{
  double squared = 0.;
  for (Index k = 0; k < spheres.dimension(); ++k)
    {
      const double difference = spheres.r(k, j) - spheres.r(k, i);
      squared += difference * difference;
    }
  return std::sqrt(squared) - (spheres.R(i) + spheres.R(j));
}

double gap(const Spheres &spheres, const Index i, const Wall &wall)
{
  return wall.normal.dot(spheres.r.col(i)) - wall.offset - spheres.R(i);
}

struct PairIndex
{
  int i, j;

  bool operator<(const PairIndex &other) const { return i != other.i ? i < other.i : j < other.j; }
};

/// What one task found.
struct Findings
{
  std::vector<PairIndex> pairs;
  double                 smallest_gap = infinity;
  std::size_t            n_overlaps   = 0;
  double                 depth        = 0.; ///< worst overlap, of the smaller radius
  PairIndex              worst{-1, -1};     ///< with that overlap

  void add_overlap(const PairIndex &pair, const double relative_depth)
  {
    ++n_overlaps;
    if (relative_depth > depth || (relative_depth == depth && pair < worst))
      {
        depth = relative_depth;
        worst = pair;
      }
  }

  void merge(const Findings &other)
  {
    pairs.insert(pairs.end(), other.pairs.begin(), other.pairs.end());
    smallest_gap        = std::min(smallest_gap, other.smallest_gap);
    const std::size_t n = n_overlaps + other.n_overlaps;
    if (other.n_overlaps > 0)
      add_overlap(other.worst, other.depth);
    n_overlaps = n;
  }
};

/// Partners of sphere i, its walls included.
void find_contacts_of(const Index i, const Spheres &spheres, const std::vector<Wall> &walls, const HierarchicalGrid &grid,
                      const ContactRange &reach, Findings &found)
{
  // configurations in the wrong unit overlap everywhere: enough is known after a few overlaps of one sphere
  constexpr std::size_t enough  = 32;
  const std::size_t     n_first = found.n_overlaps;

  const auto add = [&](const PairIndex &pair, const double D, const double R) {
    found.smallest_gap = std::min(found.smallest_gap, D);
    if (D <= reach(R))
      found.pairs.push_back(pair);
    if (D < -reach(R))
      found.add_overlap(pair, -D / R);
    return found.n_overlaps < n_first + enough;
  };
  grid.visit_partners(i, [&](const int j) {
    const int i_ = static_cast<int>(i);
    return add({std::min(i_, j), std::max(i_, j)}, gap(spheres, i, j), std::min(spheres.R(i), spheres.R(j)));
  });
  for (std::size_t w = 0; w < walls.size(); ++w)
    add({static_cast<int>(i), static_cast<int>(spheres.size() + w)}, gap(spheres, i, walls[w]), spheres.R(i));
}

Findings find_contacts(const Spheres &spheres, const std::vector<Wall> &walls, const ContactRange &reach)
{
  const HierarchicalGrid grid(spheres, reach.tolerance, reach.rounding);
  std::vector<Findings>  of_block((spheres.size() + block - 1) / block);
  for_each_block(spheres.size(), [&](const Index b, const Index first, const Index last) {
    for (Index i = first; i < last; ++i)
      find_contacts_of(i, spheres, walls, grid, reach, of_block[b]);
  });

  Findings    all;
  std::size_t n_pairs = 0;
  for (const Findings &found : of_block)
    n_pairs += found.pairs.size();
  all.pairs.reserve(n_pairs);
  for (Findings &found : of_block)
    {
      all.merge(found);
      std::vector<PairIndex>().swap(found.pairs);
    }
  return all;
}

/// Sorts by i, then j: a counting sort by i, because pairs are nearly sorted already.
void sort_pairs(const Index n_spheres, std::vector<PairIndex> &pairs)
{
  std::vector<std::size_t> begin(n_spheres + 1, 0);
  for (const PairIndex &pair : pairs)
    ++begin[pair.i + 1];
  std::partial_sum(begin.begin(), begin.end(), begin.begin());
  std::vector<PairIndex>   sorted(pairs.size());
  std::vector<std::size_t> next(begin.begin(), begin.end() - 1);
  for (const PairIndex &pair : pairs)
    sorted[next[pair.i]++] = pair;
  for_each_block(n_spheres, [&](Index, const Index first, const Index last) {
    for (Index i = first; i < last; ++i)
      std::sort(sorted.begin() + begin[i], sorted.begin() + begin[i + 1]);
  });
  pairs.swap(sorted);
}

/// min over all pairs of spheres of D. Nothing is nearer than `lower_bound`; `upper_bound` is the gap of some pair.
/// The reach doubles until it contains the smallest gap found. No pair being nearer than half of it, cells stay sparse.
double smallest_gap_between_spheres(const Spheres &spheres, const double lower_bound, double upper_bound)
{
  if (spheres.size() < 2)
    return upper_bound;
  for (double reach = std::max(lower_bound, spheres.R.minCoeff()); upper_bound > lower_bound; reach *= 2.)
    {
      const HierarchicalGrid grid(spheres, 0., reach);
      std::vector<double>    of_block((spheres.size() + block - 1) / block, upper_bound);
      for_each_block(spheres.size(), [&](const Index b, const Index first, const Index last) {
        for (Index i = first; i < last; ++i)
          grid.visit_partners(i, [&](const int j) {
            of_block[b] = std::min(of_block[b], gap(spheres, i, j));
            return true;
          });
      });
      upper_bound = *std::min_element(of_block.begin(), of_block.end());
      if (upper_bound <= reach)
        break;
    }
  return upper_bound;
}

[[noreturn]] void report_overlap(const Spheres &spheres, const std::vector<Wall> &walls, const Findings &found,
                                 const ContactRange &reach)
{
  const auto [i, j]       = found.worst;
  const bool         wall = j >= spheres.size();
  std::ostringstream message;
  message.precision(3);
  if (wall)
    message << "Sphere " << i << " reaches into the wall '" << walls[j - spheres.size()].name << "'";
  else
    message << "Spheres " << i << " and " << j << " overlap";
  message << " by " << found.depth * (wall ? spheres.R(i) : std::min(spheres.R(i), spheres.R(j))) << " m, that is "
          << found.depth << " of the " << (wall ? "radius" : "smaller radius") << " where " << reach.tolerance
          << " is allowed";
  if (found.n_overlaps > 1)
    message << "; it is the worst of " << found.n_overlaps << " overlaps";
  message << "; correct their positions or radii (spheres are numbered from 0), or raise the contact tolerance.";
  throw InputError("the spheres", message.str());
}

/// e, up to its sign, and -e are one direction: the one whose first entry that is not zero is positive.
Eigen::Vector3d without_sign(const Eigen::Vector3d &e)
{
  for (Index k = 0; k < 3; ++k)
    if (std::abs(e(k)) > 1e-6)
      return e(k) < 0. ? -e : e;
  return e;
}

/// A direction in which every e_k² is a multiple of 1/12 within `snap`, as
/// those of unrotated lattices are, is made exactly that.
Eigen::Vector3d crystallographic(const Eigen::Vector3d &e, const double snap)
{
  Eigen::Vector3d exact = Eigen::Vector3d::Zero();
  for (Index k = 0; k < 3; ++k)
    if (const double twelfths = std::round(12. * e(k) * e(k)); twelfths > 0.)
      exact(k) = std::copysign(std::sqrt(twelfths / 12.), e(k));
  return (exact - e).norm() <= snap ? exact : e;
}

/// Directions that occur in a lattice, each with the mean of the directions that it stands for.
class CommonDirections
{
public:
  static constexpr std::size_t n_max = most_common_directions;
  static constexpr double      snap  = 1e-9; ///< half of it on either side of the first that was seen

  /// False where e would be one direction too many.
  bool add(const Eigen::Vector3d &e)
  {
    const Eigen::Vector3d canonical = without_sign(e);
    const std::size_t     c         = nearest(canonical);
    if (c == directions.size())
      {
        if (c == n_max)
          return false;
        directions.push_back({canonical, Eigen::Vector3d::Zero(), 0.});
      }
    directions[c].deviation += canonical - directions[c].e;
    directions[c].count += 1.;
    return true;
  }

  std::size_t size() const { return directions.size(); }

  std::vector<Eigen::Vector3d> all() const
  {
    std::vector<Eigen::Vector3d> result;
    for (const Direction &direction : directions)
      result.push_back(direction.e);
    return result;
  }

  /// Turns the first directions that were seen into the means.
  void average()
  {
    for (Direction &direction : directions)
      {
        // deviations are summed, not directions: their sum is free of rounding at the scale of interest
        direction.e = crystallographic((direction.e + direction.deviation / direction.count).normalized(), snap);
      }
  }

  /// The common direction with the sign of e.
  Eigen::Vector3d operator()(const Eigen::Vector3d &e) const
  {
    const Eigen::Vector3d canonical = without_sign(e);
    const Eigen::Vector3d common    = closest(canonical);
    return canonical.dot(e) < 0. ? Eigen::Vector3d(Eigen::Vector3d::Zero() - common) : common; // no negative zeros
  }

private:
  struct Direction
  {
    Eigen::Vector3d e, deviation;
    double          count;
  };

  std::size_t nearest(const Eigen::Vector3d &canonical) const
  {
    std::size_t c = 0;
    while (c < directions.size() && (canonical - directions[c].e).squaredNorm() > 4. * snap * snap)
      ++c;
    return c;
  }

  /// Where means have moved away from what was seen first, some direction is within the snap of none.
  Eigen::Vector3d closest(const Eigen::Vector3d &canonical) const
  {
    return std::min_element(directions.begin(), directions.end(),
                            [&](const Direction &a, const Direction &b) {
                              return (canonical - a.e).squaredNorm() < (canonical - b.e).squaredNorm();
                            })
        ->e;
  }

  std::vector<Direction> directions;
};

} // namespace

void snap_directions(std::vector<Contact> &contacts)
{
  CommonDirections common;
  for (const Contact &contact : contacts)
    if (!common.add(contact.e))
      return;
  common.average();
  for_each_block(static_cast<Index>(contacts.size()), [&](Index, const Index first, const Index last) {
    for (Index c = first; c < last; ++c)
      contacts[c].e = common(contacts[c].e);
  });
}

namespace
{
Contact contact_of(const Spheres &spheres, const std::vector<Wall> &walls, const PairIndex &pair)
{
  const auto [i, j] = pair;
  const Index dim   = spheres.dimension();
  Contact     contact{i, j, 0., Eigen::Vector3d::Zero()};
  if (j >= spheres.size())
    {
      const Wall &wall = walls[j - spheres.size()];
      contact.D        = gap(spheres, i, wall);
      contact.e.head(dim) -= wall.normal;
    }
  else
    {
      contact.D           = gap(spheres, i, j);
      contact.e.head(dim) = spheres.r.col(j) - spheres.r.col(i);
      contact.e.normalize();
    }
  return contact;
}

std::vector<Contact> sorted_contacts(const Spheres &spheres, const std::vector<Wall> &walls, std::vector<PairIndex> &pairs)
{
  sort_pairs(spheres.size(), pairs);
  std::vector<Contact> contacts(pairs.size());
  for_each_block(static_cast<Index>(pairs.size()), [&](Index, const Index first, const Index last) {
    for (Index c = first; c < last; ++c)
      contacts[c] = contact_of(spheres, walls, pairs[c]);
  });
  return contacts;
}

ContactRange range_of(const Spheres &spheres, const std::vector<Wall> &walls, const double tolerance)
{
  double largest = spheres.R.maxCoeff(), of_walls = 0.;
  for (Index k = 0; k < spheres.dimension(); ++k)
    largest = std::max(largest, spheres.r.row(k).cwiseAbs().maxCoeff());
  for (const Wall &wall : walls)
    of_walls = std::max(of_walls, std::abs(wall.offset));
  const bool by_walls   = of_walls > largest;
  largest               = std::max(largest, of_walls);
  const double rounding = 8. * std::numeric_limits<double>::epsilon() * largest;
  if (const double R_min = spheres.R.minCoeff(); rounding > 1e-3 * R_min)
    {
      std::ostringstream message;
      message << "Coordinates as large as " << largest << " m are rounded to " << rounding
              << " m, too coarse for the radius " << R_min
              << (by_walls ? " m; bring the walls nearer, or leave them out." : " m; move the origin to the spheres.");
      throw InputError("the spheres", message.str());
    }
  return {tolerance, rounding};
}

void check_arguments(const Spheres &spheres, const std::vector<Wall> &walls, const double tolerance)
{
  if (!(tolerance >= 0.) || !(tolerance < 1.))
    throw InputError("the contact tolerance",
                     "It is a part of the smaller radius and must lie in [0, 1), not at " + digits(tolerance) + ".");
  spheres.validate();
  if (spheres.size() + walls.size() > static_cast<std::size_t>(std::numeric_limits<int>::max()))
    throw InputError("the spheres", "More than 2^31 spheres are too many; make them larger or the zone smaller.");
  for (const Wall &wall : walls)
    if (wall.normal.size() != spheres.dimension() || std::abs(wall.normal.norm() - 1.) > 1e-12 ||
        !std::isfinite(wall.offset))
      throw std::invalid_argument("contact_graph: the normal of wall '" + wall.name + "' is not a unit vector of length d.");
}
} // namespace

ContactGraph contact_graph(const Spheres &spheres, const std::vector<Wall> &walls, const double tolerance)
{
  check_arguments(spheres, walls, tolerance);
  ContactGraph graph{spheres.dimension(), spheres.size(), {}, infinity};
  if (spheres.size() == 0)
    return graph;

  const ContactRange reach = range_of(spheres, walls, tolerance);
  Findings           found = find_contacts(spheres, walls, reach);
  if (found.n_overlaps > 0)
    report_overlap(spheres, walls, found, reach);
  graph.contacts = sorted_contacts(spheres, walls, found.pairs);
  snap_directions(graph.contacts);

  // all pairs with a gap below this one have been looked at
  const double complete = tolerance * spheres.R.minCoeff() + reach.rounding;
  graph.smallest_gap    = smallest_gap_between_spheres(spheres, complete, found.smallest_gap);
  return graph;
}

ContactGraph graph_of_overlaps(const Spheres &spheres, const std::vector<Wall> &walls, const double reach,
                               const PeriodicBox &box)
{
  const double ratio = spheres.size() > 0 ? spheres.R.maxCoeff() / spheres.R.minCoeff() : 1.;
  ContactGraph graph = contact_graph(spheres, walls, reach * (1. + ratio), box);
  const auto   fits  = [&](const Contact &contact) {
    return contact.D <= reach * (spheres.R(contact.i) + (graph.touches_wall(contact) ? 0. : spheres.R(contact.j)));
  };
  graph.contacts.erase(std::stable_partition(graph.contacts.begin(), graph.contacts.end(), fits), graph.contacts.end());
  return graph;
}

ContactRange contact_range(const Spheres &spheres, const std::vector<Wall> &walls, const double tolerance)
{
  check_arguments(spheres, walls, tolerance);
  return range_of(spheres, walls, tolerance);
}

PartOfContacts part_of_contacts(const Spheres &spheres, const std::vector<Wall> &walls, const ContactRange &range)
{
  if (spheres.size() == 0)
    return {{}, infinity, false};
  Findings found = find_contacts(spheres, walls, range);
  return {sorted_contacts(spheres, walls, found.pairs), found.smallest_gap, found.n_overlaps > 0};
}

std::vector<Eigen::Vector3d> distinct_directions(const std::vector<Contact> &contacts, const std::size_t first,
                                                 const std::size_t last)
{
  CommonDirections             common;
  std::vector<Eigen::Vector3d> distinct;
  for (std::size_t c = first; c < last; ++c)
    {
      const std::size_t n    = common.size();
      const bool        fits = common.add(contacts[c].e);
      if (!fits || common.size() > n)
        distinct.push_back(contacts[c].e);
      if (!fits)
        break;
    }
  return distinct;
}

std::vector<Eigen::Vector3d> snap_directions(std::vector<Contact> &contacts, const std::vector<Eigen::Vector3d> &seen)
{
  CommonDirections common;
  for (const Eigen::Vector3d &e : seen)
    if (!common.add(e))
      return {};
  common.average();
  for (Contact &contact : contacts)
    contact.e = common(contact.e);
  return common.all();
}

ContactGraph graph_of_pairs(const Spheres &spheres, const std::vector<Wall> &walls,
                            const std::vector<std::array<int, 2>> &pairs)
{
  check_arguments(spheres, walls, usual_contact_tolerance);
  const auto   n_bodies = static_cast<Index>(spheres.size() + walls.size());
  ContactGraph graph{spheres.dimension(), spheres.size(), {}, infinity};
  graph.contacts.reserve(pairs.size());
  for (std::size_t c = 0; c < pairs.size(); ++c)
    {
      const auto [i, j] = pairs[c];
      const auto name   = [c, pair = pairs[c]] {
        return "Contact " + std::to_string(c) + " is (" + std::to_string(pair[0]) + ", " + std::to_string(pair[1]) + ")";
      };
      if (i < 0 || i >= spheres.size() || j <= i || j >= n_bodies)
        throw InputError("the contacts", name() + ", but with " + std::to_string(spheres.size()) + " spheres and " +
                                             std::to_string(walls.size()) +
                                             " walls it must be (i, j) with 0 <= i < j, i a " +
                                             "sphere, and j a sphere or the number of spheres plus that of a wall.");
      if (c > 0 && !(pairs[c - 1] < pairs[c]))
        throw InputError("the contacts",
                         name() + " and not behind the one before it; sort contacts by i, then j, each of them once.");
      graph.contacts.push_back(contact_of(spheres, walls, {i, j}));
      const Contact &contact = graph.contacts.back();
      if (!(std::abs(contact.e.norm() - 1.) < 1e-6))
        throw InputError("the contacts", name() + ", and the centres of these spheres coincide; move one of them.");
      graph.smallest_gap = std::min(graph.smallest_gap, contact.D);
    }
  snap_directions(graph.contacts);
  return graph;
}

Spheres united(const Spheres &first, const Spheres &second, const double tolerance, const PeriodicBox &box)
{
  const Index n_first = first.size(), n = n_first + second.size();
  Spheres     both{Eigen::MatrixXd(first.dimension(), n), Vector(n), Vector(n)};
  both.r << first.r, second.r;
  both.R << first.R, second.R;
  both.m << first.m, second.m;
  check_arguments(both, {}, tolerance);

  const ContactRange reach    = range_of(both, {}, tolerance);
  const auto         overlaps = [&](const NearPair &pair) {
    return pair.x.norm() - (both.R(pair.i) + both.R(pair.j)) < -reach(std::min(both.R(pair.i), both.R(pair.j)));
  };
  std::vector<char> left_out(n, 0);
  for (const NearPair &pair : PairSearch(both.r, both.R, box).pairs(overlaps)) // i < j, ordered by i: it is decided
    if (pair.j >= n_first && (pair.i < n_first || box.any()) && !left_out[pair.i])
      left_out[pair.j] = 1;

  std::vector<Index> kept;
  for (Index i = 0; i < n; ++i)
    if (!left_out[i])
      kept.push_back(i);
  return {both.r(Eigen::all, kept), both.R(kept), both.m(kept)};
}
} // namespace moreau::micro
