// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_APP_BLOCKING_CHAIN_H
#define MOREAU_APP_BLOCKING_CHAIN_H

#include "micro/contact_graph.h"

#include <string>
#include <vector>

namespace moreau::app
{
/// In words, what p >= 0 with B*p = 0 and <b,p> < 0 (length m) says of a problem without admissible velocity: the contacts with p > 0
/// are a chain that walls squeeze. Names its spheres, in the order in which they touch, and the walls, and what to change.
std::string blocking_chain(const micro::ContactGraph &graph, const std::vector<micro::Wall> &walls, const micro::Vector &p);
} // namespace moreau::app

#endif
