// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_CONVEX_SOLVERS_POLISH_IN_PARTS_H
#define MOREAU_CONVEX_SOLVERS_POLISH_IN_PARTS_H

#include "convex/shared_network.h"
#include "convex/solvers/local_polish.h"

namespace moreau::convex
{
/// local_polish() on a network that several processes share: each looks for its own bad rows, and clusters are dealt out.
/// The same digits on any number of processes; clusters are those of local_polish(), but their nodes and rows have the order
/// of the network.
///   problem  one on this network;  p: of the rows here
PolishReport polish_in_parts(const ProjectionProblem &problem, const SharedNetwork &network, Vector &p,
                             const PolishParameters &parameters = {});
} // namespace moreau::convex

#endif
