// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_CONVEX_SOLVERS_LINES_IN_PARTS_H
#define MOREAU_CONVEX_SOLVERS_LINES_IN_PARTS_H

#include "convex/shared_network.h"
#include "convex/solvers/chain_projector.h"

namespace moreau::convex
{
/// How the lines of a network that several processes share cross.
enum class SharedLines
{
  /// Its rows are no straight lines in at most 12 directions, each one the same to the last digit, up to its sign; or they
  /// are coupled, and some are closed.
  none,
  closed,    ///< directions are orthogonal, and some lines have no end: for ChainProjector, of one process
  uncoupled, ///< directions are orthogonal
  coupled
};

/// All processes ask together and hear the same.
SharedLines lines_of(const SharedNetwork &network);

/// ChainProjector on a network that several processes share and that has lines: each line is dealt to one process, which has
/// it whole. What crosses processes in an iteration is a number of each node and line, there and back. The same digits on
/// any number of processes; what is finished by an interior point, is done by the first one.
/// Where fixed bodies leave a line no velocity the first process says which one, as ChainProjector does.
SaddlePoint project_on_lines_in_parts(const ProjectionProblem &problem, const SharedNetwork &network,
                                      const StoppingCriterion &criterion, const ChainProjector::Parameters &parameters,
                                      const Vector *p_start = nullptr);
} // namespace moreau::convex

#endif
