// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_CONVEX_SOLVERS_LOCAL_POLISH_H
#define MOREAU_CONVEX_SOLVERS_LOCAL_POLISH_H

#include "convex/effort.h"

namespace moreau::convex
{
/// Which rows local_polish solves exactly.
struct PolishParameters
{
  double       threshold = .03;  ///< a row is bad where its natural residual exceeds this fraction of the largest one
  unsigned int depth     = 12;   ///< layers of nodes added around bad rows
  double       near      = 1e-3; ///< layers grow through rows with p > 0 or b - Bu below this multiple of max|U - mean U|
  double       largest   = .3; ///< cap: fraction of the nodes; the threshold is raised, then the depth cut, until it is met
  double       tolerance = StoppingCriterion().tolerance; ///< relative error bound of the solution of a cluster
};

/// What local_polish did.
struct PolishReport
{
  Index        n_nodes = 0;      ///< marked
  Effort       effort;           ///< of interior points, one per cluster, its neighbours' multipliers frozen
  unsigned int n_rejected  = 0;  ///< clusters left as they were, because the dual value did not fall
  double       dual_change = 0.; ///< of ½|U - B*p|² + <b,p> (J), never positive
};

/// One round of exact block minimisation of the dual: the clusters of nodes around the worst rows get new multipliers for
/// the rows among them, by an interior point, with all other multipliers frozen. Removes the localised stalls of first-order
/// methods.
///   p  in and out, length m, p >= 0
/// Needs a DiagonalSpace and a SparseConstraint (std::invalid_argument otherwise).
PolishReport local_polish(const ProjectionProblem &problem, Vector &p, const PolishParameters &parameters = {});
} // namespace moreau::convex

#endif
