// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_APP_RUN_SHARED_SAMPLES_H
#define MOREAU_APP_RUN_SHARED_SAMPLES_H

#include "app/output/disorder_tables.h"
#include "geometry/processes.h"

/// Samples of a study that several processes computed.
namespace moreau::app
{
/// Those of all processes on the first one, in the order of their numbers, without their large fields (velocities,
/// multipliers); elsewhere nothing. All call together.
///   own  with the number of each, unique among all processes
DisorderSamples gathered_samples(const geometry::Processes                                 &processes,
                                 const std::vector<std::pair<std::size_t, DisorderSample>> &own);
} // namespace moreau::app

#endif
