// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_TESTS_BENCHMARKS_CONE_SCALING_H
#define MOREAU_TESTS_BENCHMARKS_CONE_SCALING_H

#include "geometry/processes.h"

namespace moreau::benchmarks
{
/// One impact of the continuum on the square (dim = 2) or the cubic cone (dim = 3), so many cells of the unit box along each
/// axis, that the processes share: the mesh, the projection with its certificate, the total bound. The first process prints
/// the seconds of the clock and of the processor that each takes (the largest of all processes), the memory of the largest,
/// and a digit sum of u and p, the same for any number of processes.
void cone_scaling(const geometry::Processes &world, int dim, double cells);
} // namespace moreau::benchmarks

#endif
