// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_CONVEX_SOLVERS_MOMENTUM_H
#define MOREAU_CONVEX_SOLVERS_MOMENTUM_H

#include "convex/cone_projection.h"

namespace moreau::convex
{
/// u + uniform velocities, one for each part of problem.expansion (one for all where there is none), that give every part
/// the momentum of U: impulses between nodes cannot change it, and what sums and linear systems of a solver lose is given
/// back. Parts whose rows see a uniform velocity, because something fixed holds them, stay as they are, and so does u where
/// masses are not lumped.
///   u  length n (m/s)
Vector with_momentum_of_U(const ProjectionProblem &problem, Vector u);
} // namespace moreau::convex

#endif
