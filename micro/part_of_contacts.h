// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MICRO_PART_OF_CONTACTS_H
#define MOREAU_MICRO_PART_OF_CONTACTS_H

#include "micro/contact_graph.h"

#include <cstddef>

/// contact_graph() in pieces, for those who have a part of the spheres only.
namespace moreau::micro
{
constexpr std::size_t most_common_directions =
    12; ///< of a lattice: where there are no more, contact_graph() makes them exact

/// What contact_graph() takes for a contact: D_ij <= tolerance * min(R_i, R_j) + rounding.
struct ContactRange
{
  double tolerance = 0.; ///< of the smaller radius
  double rounding  = 0.; ///< of coordinates (m)

  /// The largest gap, and the deepest overlap, of a contact whose smaller radius is R.
  double operator()(const double R) const { return tolerance * R + rounding; }
};

/// For these spheres. Throws as contact_graph(), but for overlaps.
ContactRange contact_range(const Spheres &spheres, const std::vector<Wall> &walls, double tolerance);

/// Contacts of spheres that are a part of all.
struct PartOfContacts
{
  std::vector<Contact> contacts;             ///< ordered by i, then j; directions as they come
  double               smallest_gap = 0.;    ///< of what was looked at: exact where it is within the range
  bool                 overlaps     = false; ///< more than the range allows
};

/// Those of the given spheres; range: that of all.
PartOfContacts part_of_contacts(const Spheres &spheres, const std::vector<Wall> &walls, const ContactRange &range);

/// The same in a box that repeats itself and has_room_for_images(), with images as contact_graph() has them.
///   spheres  within the box
PartOfContacts part_of_contacts(const Spheres &spheres, const std::vector<Wall> &walls, const ContactRange &range,
                                const PeriodicBox &box);

/// Whether no sphere up to this radius can touch its own image, or another one through two images.
bool has_room_for_images(const PeriodicBox &box, double R_max, const ContactRange &range);

/// Up to sign; at most one more than most_common_directions. Of the contacts first ... last-1.
std::vector<Eigen::Vector3d> distinct_directions(const std::vector<Contact> &contacts, std::size_t first, std::size_t last);

/// What contact_graph() does with the directions of a lattice, for a part of the contacts. seen: distinct directions of all
/// parts, one behind the other. The common directions; none, and nothing is changed, where there are too many.
std::vector<Eigen::Vector3d> snap_directions(std::vector<Contact> &contacts, const std::vector<Eigen::Vector3d> &seen);
} // namespace moreau::micro

#endif
