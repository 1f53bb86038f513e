// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_PARALLEL_NODE_SHARING_H
#define MOREAU_PARALLEL_NODE_SHARING_H

#include "convex/shared_network.h"
#include "parallel/collectives.h"

#include <limits>
#include <memory>

namespace moreau::parallel
{
/// How the processes of a communicator talk about a network.
///   first_own, n_own  the nodes that this process owns, of n_nodes in all
///   n_own_blocks      whole blocks that these are
///   ghosts            numbers of the nodes of others that it holds, ascending
///   largest_factor    (bytes) of a matrix that the first process factorises alone; beyond that all do, by MUMPS
std::shared_ptr<const convex::Sharing> node_sharing(const Processes &processes, Index n_nodes, Index first_own, Index n_own,
                                                    Index n_own_blocks, const std::vector<Index> &ghosts,
                                                    double largest_factor = std::numeric_limits<double>::infinity());

/// What the transfers of this process sent since the program began: for benchmarks and logs.
struct Traffic
{
  long long n_messages = 0, n_bytes = 0, n_sums = 0; ///< sums: calls of Sharing::of_all_blocks
};
Traffic traffic();
} // namespace moreau::parallel

#endif
