// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MICRO_CONTACT_GRAPH_H
#define MOREAU_MICRO_CONTACT_GRAPH_H

#include "micro/periodic_box.h"
#include "micro/spheres.h"

#include <array>

namespace moreau::micro
{
/// i ~ j when D_ij = |r_j - r_i| - (R_i + R_j) <= tolerance (BM, eq. 2); j = n + w stands for wall w.
struct Contact
{
  int             i, j;
  double          D;         ///< gap (m), negative where spheres overlap within the tolerance
  Eigen::Vector3d e;         ///< unit, from i to j; entries beyond the dimension are zero
  std::int32_t    image = 0; ///< of j, as in NearPair: not 0 where the contact leads out of a periodic box
};

struct ContactGraph
{
  Index                dim       = 0;
  Index                n_spheres = 0;
  std::vector<Contact> contacts; ///< ordered by i, then j
  double smallest_gap = 0.; ///< over all pairs and walls, also without contacts; infinite for a lone sphere without walls
  PeriodicBox box     = {}; ///< of length 0 where nothing repeats itself

  Index n_contacts() const { return static_cast<Index>(contacts.size()); }
  bool  touches_wall(const Contact &c) const { return c.j >= n_spheres; }

  /// By how much the image of j that the contact is with lies beside j (m); zero within the box and at walls.
  Vector displacement(const Contact &c) const { return box.displacement(c.image, dim); }
};

constexpr double usual_contact_tolerance = 1e-6; ///< of the smaller radius, where nothing else is asked for

/// All contacts, by cell lists in O(n): one grid for the radii between R_max/2 and R_max, one for those between R_max/4 and
/// R_max/2, ..., a sphere looks for partners in its own grid and in those of larger spheres.
///   tolerance  of the smaller radius, in [0, 1): D_ij <= tolerance * min(R_i,
///   R_j) + 8ε max|r|, the last for the rounding of
///              coordinates, so that 0 is a tolerance that works
/// Where all directions, up to sign, lie within 1e-9 of at most 12 common ones, they are made equal to these (the means of
/// what they stand for), so that a lattice read from a file has exactly straight lines.
/// The same graph comes out for any number of threads.
/// Throws InputError("the spheres", ...) naming the worst pair and its overlap where D_ij < -(tolerance * min(R_i, R_j) + 8ε
/// max|r|), for spheres that are not valid, and where coordinates are so large that their rounding is coarser than a radius
/// / 1000; InputError("the contact tolerance", ...) for a tolerance outside [0, 1).
ContactGraph contact_graph(const Spheres &spheres, const std::vector<Wall> &walls, double tolerance);

/// The same in a box that repeats itself: contacts with images of spheres, e and D being those of the image. smallest_gap is
/// infinite where nothing is within half a period.
///   spheres  within the box (std::invalid_argument otherwise)
/// Throws, too, InputError("the periods", ...) where a sphere touches its own image, or another one through two images.
ContactGraph contact_graph(const Spheres &spheres, const std::vector<Wall> &walls, double tolerance, const PeriodicBox &box);

/// The contacts of soft spheres that were made smaller until none overlapped: gaps up to `reach` (R_i + R_j), reach R_i at a
/// wall (Packing::reach).
/// Throws InputError("the contact tolerance", ...) where that is no less than the smallest radius, and as contact_graph().
ContactGraph graph_of_overlaps(const Spheres &spheres, const std::vector<Wall> &walls, double reach,
                               const PeriodicBox &box = {});

/// The contacts of given pairs, for those who search themselves: every pair is one, whatever its gap. Directions are treated
/// as above; smallest_gap is that of the pairs.
///   pairs  i < j, ordered by i, then j; j = n + w stands for wall w
/// Throws InputError("the contacts", ...) for pairs that are not so and for centres that coincide, and as contact_graph().
ContactGraph graph_of_pairs(const Spheres &spheres, const std::vector<Wall> &walls,
                            const std::vector<std::array<int, 2>> &pairs);

/// The first spheres and those of the second that overlap none of them by more than contact_graph() allows, in this order.
/// In a periodic box also across its sides, where they overlap no earlier one of the second either.
Spheres united(const Spheres &first, const Spheres &second, double tolerance, const PeriodicBox &box = {});
} // namespace moreau::micro

#endif
