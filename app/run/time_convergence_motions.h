// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_APP_RUN_TIME_CONVERGENCE_MOTIONS_H
#define MOREAU_APP_RUN_TIME_CONVERGENCE_MOTIONS_H

#include "app/output/plot.h"
#include "app/output/time_levels.h"
#include "app/run/time_reference.h"

#include <iosfwd>
#include <string>
#include <vector>

/// The motions of `time convergence` themselves, where they have few coordinates.
namespace moreau::app
{
/// Places beyond which a coordinate may not go, downwards or upwards.
struct Walls
{
  std::vector<double> below, above;
};

/// Of a system with one coordinate those of its constraints that are linear in it and do not move; none of other systems.
Walls walls_of_one_coordinate(const micro::MechanicalSystem &system);

/// motions.csv: q, u and cumulated impulses at up to `most` instants of every level and of the reference, which has h = 0
/// where it has no step.
///   names    of the coordinates, with units
///   motions  of the levels
void write_motions(std::ostream &out, const std::vector<std::string> &names, const std::vector<TimeLevel> &levels,
                   const std::vector<micro::Trajectory> &motions, const TimeReference &reference, micro::Index most = 500);

/// Of motions.csv: the finest level of every limit and, of one limit, the coarsest and a middle one too; the reference.
/// walls: see walls_of_one_coordinate.
Plot motion_plot(const std::string &title, const std::vector<std::string> &names, const std::vector<TimeLevel> &levels,
                 const TimeReference &reference, const Walls &walls);
} // namespace moreau::app

#endif
