// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MICRO_LATTICES_H
#define MOREAU_MICRO_LATTICES_H

#include "micro/periodic_box.h"

#include <functional>

namespace moreau::micro::lattices
{
/// The part of space that spheres fill: a box and, in it, the points where contains() is true (everywhere if empty).
struct Zone
{
  Vector                               lower, upper; ///< corners, length d (m)
  std::function<bool(const Vector &x)> contains = {};
  bool        whole_spheres                     = false; ///< keep a sphere only if all of it is inside, not just its centre
  PeriodicBox box                               = {};    ///< that repeats itself, as rows do
};

/// Where and how a lattice lies. Radius = spacing/2, masses = volume of the ball of density 1 unless set later.
struct Placement
{
  double       spacing   = 1.; ///< distance of neighbouring centres (m)
  double       gap       = 0.; ///< by half of it spheres will be smaller (m): which ones are whole is asked of those
  double       angle     = 0.; ///< radians, about the anchor, in the x-y plane
  Vector       anchor    = {}; ///< a lattice site; empty: half a spacing inside the lower corner
  double       vacancies = 0.; ///< probability of a site to be left empty, in [0, 1)
  unsigned int seed      = 1;  ///< of the vacancies, which depend on it and on the site alone, not on zone or machine
  /// Whether no straight row of touching sites, from one end of the zone to the other or around a periodic box, stays whole:
  /// with_broken_rows(), which keeps the number of vacancies where it can. In one part only.
  bool break_rows = false;

  bool is_random() const { return vacancies > 0. || break_rows; } ///< whether the seed matters

  int part    = 0; ///< of n_parts of the lines, which follow each other: this one, which may have no spheres
  int n_parts = 1;
};

/// Sites in the zone, numbered line by line along the first lattice direction. Sites on the boundary of the box are inside
/// (to 1e-9 of the spacing), so that the unit square with spacing 1/32 holds 32 x 32. With whole_spheres, contains() is
/// asked at the centre and at points of the surface (2, 32, 50 in dimension 1, 2, 3).
/// Throw InputError where no sphere fits ("the zone"), where the dimension of the zone is not the lattice's ("the
/// dimension"), and for a placement that makes no sense.
Spheres line(const Zone &zone, const Placement &placement); ///< the lattice of dimension 1; in a plane or in space, one row
Spheres square(const Zone &zone, const Placement &placement);
Spheres triangular(const Zone &zone, const Placement &placement); ///< a lattice direction along x at angle 0
/// The triangular lattice without the sites i - j = 1 modulo 3 of a_1 i + a_2 j (a_1 along x, a_2 at 60 degrees to it):
/// three contacts a disc, no straight rows. Periodic along x in multiples of three spacings.
Spheres honeycomb(const Zone &zone, const Placement &placement);
/// The same without the sites where i and j are odd: four contacts a disc, every second row is whole in each direction.
/// Periodic along x in multiples of two spacings.
Spheres kagome(const Zone &zone, const Placement &placement);
Spheres cubic(const Zone &zone, const Placement &placement);
Spheres face_centred_cubic(const Zone &zone, const Placement &placement); ///< spacing = nearest-neighbour distance

/// n touching spheres along x, the first at `first` (length d): first, first + 2R e_x, ...; gap > 0 pulls them apart.
Spheres row(Index n, double radius, const Vector &first, double gap = 0.);

/// The 14 equal discs of (BM, Fig. 2), in rows of 3, 4, 4, 3: 29 contacts for 28 unknowns. Radius 1 unless given.
Spheres hyperstatic_cluster(double radius = 1.);

/// Seven discs, one in the middle: 12 contacts of rank 11, where p first is not unique.
Spheres seven_discs(double radius = 1.);
} // namespace moreau::micro::lattices

#endif
