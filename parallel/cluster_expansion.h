// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_PARALLEL_CLUSTER_EXPANSION_H
#define MOREAU_PARALLEL_CLUSTER_EXPANSION_H

#include "convex/shared_network.h"
#include "micro/contact_graph.h"
#include "parallel/shared_spheres.h"

namespace moreau::parallel
{
/// micro::expansion() of a network in parts: clusters are joined across processes and numbered in the order of their first
/// spheres, centroids are sums of blocks.
///   own       the spheres that this process owns, as `network` has them
///   box       a periodic one, in which clusters are laid out; nothing opens along directions in which they have no end
///   contacts  the rows, by numbers of nodes of `network` here; j = nodes here + w stands for wall w
convex::Expansion cluster_expansion(const convex::SharedNetwork &network, const micro::Spheres &own,
                                    const std::vector<micro::Contact> &contacts, const std::vector<micro::Wall> &walls,
                                    const micro::PeriodicBox &box, const Processes &processes);
} // namespace moreau::parallel

#endif
