// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_CONVEX_SPEED_UNIT_H
#define MOREAU_CONVEX_SPEED_UNIT_H

#include "convex/cone_projection.h"

/// Speeds whose squares are too large or too small for numbers are computed with in another unit, 2^k m/s.
namespace moreau::convex
{
/// k, so that U, or where it is 0 what b demands, is of size 1 in that unit; 0 where metres per second do, as nearly always,
/// and where an entry is not finite. The same on all processes.
int exponent_of_speeds(const ProjectionProblem &problem);

/// Throws InputError where a row of B has entries whose squares over masses, (BM⁻¹Bᵀ)_cc, are beyond double precision, as
/// 1e160 and 1e-170 have for masses of 1: bounds of such a problem would mean nothing.
void require_numbers_of_rows(const ProjectionProblem &problem);

/// v 2^k, exactly.
Vector times_power_of_two(const Vector &v, int k);

/// The problem with speeds in the unit 2^k m/s: its u and p are 2^-k times those of the problem.
ProjectionProblem in_speed_unit(const ProjectionProblem &problem, int k);
} // namespace moreau::convex

#endif
