// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_CONVEX_SHARED_COMPONENTS_H
#define MOREAU_CONVEX_SHARED_COMPONENTS_H

#include "convex/shared_network.h"

namespace moreau::convex
{
/// Of each node here the lowest number of a node that it hangs together with, through rows on any process.
/// connects: whether row c does; a row of one node never does.
std::vector<Index> lowest_connected(const SharedNetwork &network, const std::function<bool(Index)> &connects);
} // namespace moreau::convex

#endif
