// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MICRO_MOTION_IMPOSSIBLE_STEP_H
#define MOREAU_MICRO_MOTION_IMPOSSIBLE_STEP_H

#include "micro/motion/linearised_step.h"
#include "micro/motion/sphere_motion.h"

#include <string>
#include <vector>

namespace moreau::micro
{
/// "0.25 s".
std::string time_text(double t);

/// Throws InputError where a body that ends somewhere moves so far in a step that it could come out on the other side of a
/// sphere.
///   spheres       at the beginning of the step; ids: their numbers in messages
///   before, after where the bodies are at its beginning and end
///   period        as in SphereSystem
///   time, h       its beginning and length (s)
void require_no_passage(const Obstacles &bodies, const PeriodicObstacles &before, const PeriodicObstacles &after,
                        const Spheres &spheres, const Vector &period, const std::vector<Index> &ids, double time, double h);

/// Throws InputError where a sphere with a velocity of U (d n) flies so far through a box that repeats itself that bodies in
/// its way would be too many.
void require_short_flight(const PeriodicObstacles &bodies, const Vector &period, const Vector &U,
                          const std::vector<Index> &ids, double time, double h);

/// Throws InputError with the chain of contacts that blocks a step: no velocity is admissible, and the multipliers of
/// `solution` prove it.
///   placed  obstacles at the end of the step, t_next (s)
[[noreturn]] void refuse_step(const StepSolution &solution, const SphereSystem &system, const PeriodicObstacles &placed,
                              const std::vector<Index> &ids, double t_next);
} // namespace moreau::micro

#endif
