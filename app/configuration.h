// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_APP_CONFIGURATION_H
#define MOREAU_APP_CONFIGURATION_H

#include "app/parameters.h"
#include "micro/contact_graph.h"

#include <functional>

namespace moreau::app
{
/// The spheres that a parameter file describes, before the impact.
struct Configuration
{
  micro::Spheres           spheres;
  std::vector<micro::Wall> walls;
  micro::ContactGraph      graph;
  micro::Vector            U; ///< velocity before the impact, d n, interleaved by sphere (m/s)
};

/// The spheres of every arrangement but `file`. progress: of packing them at random; may be empty. Throws InputError.
micro::Spheres arranged_spheres(const Parameters &parameters, const std::function<void(double)> &progress = {});

/// The sides of the box that are walls, with their velocities. Throws InputError.
std::vector<micro::Wall> walls(const Parameters &parameters);

/// Builds it. Where the velocities and the file come from is written back to `file`, so that its print-out repeats the run.
/// progress: as above. Throws InputError.
Configuration configuration(ParameterFile &file, const std::function<void(double)> &progress = {});
} // namespace moreau::app

#endif
