// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_EXCHANGE_TRAJECTORY_H
#define MOREAU_EXCHANGE_TRAJECTORY_H

#include "exchange/sphere_file.h"

#include <string>
#include <vector>

/// The pictures of a run, one after the other.
namespace moreau::exchange
{
/// A picture of a run and when it was taken.
struct Moment
{
  double      time; ///< s; the number of the picture where the run has no time
  std::string file; ///< spheres_0012.vtp or .pvtp, with its folder
};

/// The pictures of spheres that a collection (solution.pvd) names, in its order. Throws InputError where there is none.
std::vector<Moment> moments_of(const std::string &collection);

/// All of them as snapshots of one dump of LAMMPS, with their times; one is in memory at a time. Returns their number.
std::size_t write_trajectory(const std::string &collection, const SphereConventions &conventions, const std::string &file);
} // namespace moreau::exchange

#endif
