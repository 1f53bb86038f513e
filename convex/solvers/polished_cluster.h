// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_CONVEX_SOLVERS_POLISHED_CLUSTER_H
#define MOREAU_CONVEX_SOLVERS_POLISHED_CLUSTER_H

#include "convex/solvers/local_polish.h"

namespace moreau::convex
{
/// A cluster of nodes with the rows among them, the multipliers of all other rows frozen.
struct Cluster
{
  ProjectionProblem problem; ///< V, B and b of the cluster; its U is set by polished()
  Vector            u, p;    ///< of its nodes and rows, in the frame of mean velocity
};

/// The multipliers that minimise the dual, by an interior point; those that the cluster has where its value would not fall.
/// Adds to the report, but to n_nodes.
Vector polished(Cluster cluster, double tolerance, PolishReport &report);
} // namespace moreau::convex

#endif
