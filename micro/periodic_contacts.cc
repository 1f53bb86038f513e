// SPDX-License-Identifier: GPL-3.0-or-later
#include "micro/contact_graph.h"

#include "convex/input_error.h"
#include "micro/common_directions.h"
#include "micro/pair_search.h"
#include "micro/part_of_contacts.h"

#include <algorithm>
#include <limits>
#include <sstream>
#include <stdexcept>
#include <string>

namespace moreau::micro
{
namespace
{
constexpr double far = std::numeric_limits<double>::infinity();

/// The deepest overlap, of the smaller radius, and between what.
struct Overlap
{
  double      depth   = 0.;
  std::string between = "";
  std::size_t n       = 0;

  void add(const double relative_depth, const std::string &text)
  {
    ++n;
    if (relative_depth > depth)
      {
        depth   = relative_depth;
        between = text;
      }
  }

  void refuse(const double allowed) const
  {
    if (n == 0)
      return;
    std::ostringstream message;
    message.precision(3);
    message << between << " by " << depth << " of the smaller radius where " << allowed << " is allowed";
    if (n > 1)
      message << "; it is the worst of " << n << " overlaps";
    message << "; correct their positions or radii (spheres are numbered from 0), fit the zone to them, or raise 'Contact "
               "tolerance'.";
    throw InputError("the spheres", message.str());
  }
};

/// A sphere that touches itself, or another one through two images, has no row of B that says so.
void require_room(const Spheres &spheres, const PeriodicBox &box, const ContactRange &reach)
{
  Index largest = 0;
  spheres.R.maxCoeff(&largest);
  const double R = spheres.R(largest);
  for (Index k = 0; k < box.period.size(); ++k)
    if (box.period(k) > 0. && !(box.period(k) > 2. * R + reach(R)))
      {
        std::ostringstream message;
        message << "Sphere " << largest << " of radius " << R << " m touches its own image, since the period along "
                << "xyz"[k] << " is " << box.period(k) << " m; enlarge the zone or take smaller spheres.";
        throw InputError("the periods", message.str());
      }
}

void require_one_image(const std::vector<Contact> &contacts)
{
  for (std::size_t c = 1; c < contacts.size(); ++c)
    if (contacts[c].i == contacts[c - 1].i && contacts[c].j == contacts[c - 1].j)
      throw InputError("the periods",
                       "Spheres " + std::to_string(contacts[c].i) + " and " + std::to_string(contacts[c].j) +
                           " touch through two images at once, as the box is hardly longer than their "
                           "diameters; enlarge the zone or take smaller spheres, of a random packing more of them.");
}

/// Contacts, ordered by i, then j, with directions as they come; the smallest gap is that to walls.
struct FoundInBox
{
  std::vector<Contact> contacts;
  double               smallest_gap = far;
  Overlap              worst;
};

FoundInBox find_in_box(const Spheres &spheres, const std::vector<Wall> &walls, const ContactRange &reach,
                       const PeriodicBox &box)
{
  FoundInBox   found;
  const auto   D = [&](const NearPair &pair) { return pair.x.norm() - (spheres.R(pair.i) + spheres.R(pair.j)); };
  const Vector a = .5 * ((2. + reach.tolerance) * spheres.R.array() + reach.rounding);
  for (const NearPair &pair : PairSearch(spheres.r, a, box).pairs([&](const NearPair &pair) {
         return D(pair) <= reach(std::min(spheres.R(pair.i), spheres.R(pair.j)));
       }))
    {
      const double R = std::min(spheres.R(pair.i), spheres.R(pair.j));
      if (D(pair) < -reach(R))
        found.worst.add(-D(pair) / R, "Spheres " + std::to_string(pair.i) + " and " + std::to_string(pair.j) + " overlap" +
                                          (pair.image != 0 ? " across the sides of the periodic box" : ""));
      found.contacts.push_back({pair.i, pair.j, D(pair), pair.x.normalized(), pair.image});
    }
  for (Index i = 0; i < spheres.size(); ++i)
    for (std::size_t w = 0; w < walls.size(); ++w)
      {
        const Wall  &wall    = walls[w];
        const double to_wall = wall.normal.dot(spheres.r.col(i)) - wall.offset - spheres.R(i);
        found.smallest_gap   = std::min(found.smallest_gap, to_wall);
        if (to_wall < -reach(spheres.R(i)))
          found.worst.add(-to_wall / spheres.R(i),
                          "Sphere " + std::to_string(i) + " reaches into the wall '" + wall.name + "'");
        if (to_wall > reach(spheres.R(i)))
          continue;
        Contact contact{static_cast<int>(i), static_cast<int>(spheres.size() + w), to_wall, Eigen::Vector3d::Zero()};
        contact.e.head(spheres.dimension()) = -wall.normal;
        found.contacts.push_back(contact);
      }
  std::stable_sort(found.contacts.begin(), found.contacts.end(), [](const Contact &first, const Contact &second) {
    return first.i != second.i ? first.i < second.i : first.j < second.j;
  });
  return found;
}

/// Gaps of all pairs that are nearer than the reach, with images; no reach sees more than half a period.
double smallest_gap_with_images(const Spheres &spheres, const PeriodicBox &box)
{
  double smallest = far;
  for (double reach = spheres.R.minCoeff(); !(smallest <= reach); reach *= 2.)
    {
      const Vector a        = spheres.R.array() + .5 * reach;
      bool         has_room = true;
      for (Index k = 0; k < box.period.size(); ++k)
        has_room = has_room && (box.period(k) == 0. || 2. * a.maxCoeff() < box.period(k));
      if (!has_room)
        break;
      for (const NearPair &pair : PairSearch(spheres.r, a, box).pairs([](const NearPair &) { return true; }))
        smallest = std::min(smallest, pair.x.norm() - (spheres.R(pair.i) + spheres.R(pair.j)));
    }
  return smallest;
}
} // namespace

ContactGraph contact_graph(const Spheres &spheres, const std::vector<Wall> &walls, const double tolerance,
                           const PeriodicBox &box)
{
  if (!box.any())
    return contact_graph(spheres, walls, tolerance);
  if (box.period.size() != spheres.dimension() || !box.contains(spheres.r))
    throw std::invalid_argument("contact_graph: spheres must lie within the periodic box; PeriodicBox::wrap() brings them.");
  ContactGraph graph{spheres.dimension(), spheres.size(), {}, far, box};
  if (spheres.size() == 0)
    return graph;

  const ContactRange reach = contact_range(spheres, walls, tolerance);
  require_room(spheres, box, reach);
  FoundInBox found = find_in_box(spheres, walls, reach, box);
  found.worst.refuse(tolerance);
  require_one_image(found.contacts);
  graph.contacts = std::move(found.contacts);
  snap_directions(graph.contacts);
  graph.smallest_gap = std::min(found.smallest_gap, smallest_gap_with_images(spheres, box));
  return graph;
}

PartOfContacts part_of_contacts(const Spheres &spheres, const std::vector<Wall> &walls, const ContactRange &range,
                                const PeriodicBox &box)
{
  if (!box.any())
    return part_of_contacts(spheres, walls, range);
  if (spheres.size() == 0)
    return {{}, far, false};
  FoundInBox     found = find_in_box(spheres, walls, range, box);
  PartOfContacts part{std::move(found.contacts), found.smallest_gap, found.worst.n > 0};
  for (const Contact &contact : part.contacts)
    part.smallest_gap = std::min(part.smallest_gap, contact.D);
  return part;
}

bool has_room_for_images(const PeriodicBox &box, const double R_max, const ContactRange &range)
{
  const auto fits = [&](const double period) {
    return period == 0. || period > (4. * R_max + 2. * range(R_max)) * (1. + 1e-9);
  };
  return std::all_of(box.period.begin(), box.period.end(), fits);
}
} // namespace moreau::micro
