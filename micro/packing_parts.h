// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MICRO_PACKING_PARTS_H
#define MOREAU_MICRO_PACKING_PARTS_H

#include "micro/packings.h"
#include "micro/pair_search.h"
#include "convex/splitmix.h"

#include <utility>

/// What the two ways to make a random packing share.
namespace moreau::micro
{
/// Uniform numbers, a function of the seed alone.
class RandomNumbers
{
public:
  explicit RandomNumbers(const unsigned int seed) : state(convex::mixed(seed)) {}
  double operator()(const double lower, const double upper)
  {
    return lower + (upper - lower) * convex::fraction_of(state = convex::mixed(state));
  }

private:
  std::uint64_t state;
};

/// The box, with period 0 in directions that are not periodic.
PeriodicBox periodic_box(const PackingParameters &parameters);

/// The sides of the box where it is not periodic.
std::vector<Wall> sides(const PackingParameters &parameters);

/// The s for which spheres with the radii s a_i cover this part of the box (m).
double radius_for(double coverage, const Vector &a, const PackingParameters &parameters);

/// What counts as a contact of a packing: gaps up to this part of the smaller radius.
constexpr double contact_gap = 1e-8;

/// Sets n_contacts and n_rattlers of a packing of spheres. touching: pairs i, j; j < 0: a wall.
void count_contacts(Packing &packing, const std::vector<std::pair<int, int>> &touching);
} // namespace moreau::micro

#endif
