// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_CONVEX_SOLVERS_LINES_IN_PARTS_H
#define MOREAU_CONVEX_SOLVERS_LINES_IN_PARTS_H

#include "convex/shared_network.h"

#include <optional>

namespace moreau::convex
{
/// The exact projection on uncoupled chain families (ChainProjector) of a network that several processes share: each line
/// is dealt to one process, which has it whole for a moment. The same digits on any number of processes.
/// Where fixed bodies leave a line no velocity the first process says which one, as ChainProjector does.
/// Nothing, on all processes, where the rows do not form straight lines in directions that are orthogonal, each one the same
/// to the last digit, up to its sign.
std::optional<SaddlePoint> project_on_lines_in_parts(const ProjectionProblem &problem, const SharedNetwork &network,
                                                     const StoppingCriterion &criterion);

/// Whether directions (dim x K) are mutually orthogonal, to 1e-12.
bool orthogonal(const Eigen::MatrixXd &directions);
} // namespace moreau::convex

#endif
