// SPDX-License-Identifier: GPL-3.0-or-later
// The search for pairs of spheres near each other against k-d trees: the same pairs, in how much time.
//
// Random places, so many that the spheres would cover 0.84 of the plane (0.64 of space) without overlaps: about as many pairs as in a dense
// packing. Radii are all 1, or between 0.1 and 1 (log-uniform). A pair is near where the distance is at most 1.04 times the sum of radii.
//
// A tree knows nothing of radii: each sphere asks for centres within its own reach plus the largest one, and what is too far is dropped. CGAL's
// Kd_tree always, nanoflann where its header is installed (libnanoflann-dev). Building is included; all ask in parallel, by the same blocks,
// and sort what they have found.
#include "micro/pair_search.h"
#include "tests/benchmarks/process.h"
#include "tests/benchmarks/table.h"

#include <CGAL/Epick_d.h>
#include <CGAL/Fuzzy_sphere.h>
#include <CGAL/Kd_tree.h>
#include <CGAL/Search_traits_2.h>
#include <CGAL/Search_traits_3.h>
