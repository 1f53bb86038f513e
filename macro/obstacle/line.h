// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MACRO_OBSTACLE_LINE_H
#define MOREAU_MACRO_OBSTACLE_LINE_H

#include "macro/obstacle/poisson.h"

/// One dimension, where everything has a direct solution: every process computes it for the whole line.
namespace moreau::macro
{
/// Saturated cells begin ... end-1 and the walls behind them.
struct Run
{
  Index begin, end;
  bool  wall_below, wall_above;
};

/// Of the whole line, on every process.
std::vector<Run> runs_of(const BoxZone &zone);

/// solve_poisson in one dimension: flux and φ are running sums.
PoissonSolution solve_poisson_on_line(const BoxZone &zone, const CellArray &f, double tolerance);
} // namespace moreau::macro

#endif
