// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_CONVEX_SHARED_COMPONENTS_H
#define MOREAU_CONVEX_SHARED_COMPONENTS_H

#include "convex/shared_network.h"

namespace moreau::convex
{
/// Of each node here the lowest number of a node that it hangs together with, through rows on any process.
/// connects: whether row c does; a row of one node never does.
std::vector<Index> lowest_connected(const SharedNetwork &network, const std::function<bool(Index)> &connects);

/// Sums of columns of own nodes by parts of the network (clusters): sums of blocks, added in the order of blocks, on all
/// processes.
///   part_of_own  of each own node, 0 ... n_parts-1
///   add          adds what an own node has to the column of its part
/// Returns n_rows x n_parts.
Eigen::MatrixXd sums_of_parts(const SharedNetwork &network, Index n_rows, Index n_parts,
                              const std::function<Index(Index own)>                           &part_of_own,
                              const std::function<void(Index own, Eigen::Ref<Vector> column)> &add);
} // namespace moreau::convex

#endif
