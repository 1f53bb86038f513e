// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MICRO_BLOCKING_CHAIN_H
#define MOREAU_MICRO_BLOCKING_CHAIN_H

#include "micro/contact_graph.h"

#include <string>
#include <vector>

namespace moreau::micro
{
/// Spheres i and j, or sphere i and obstacle j - n_spheres.
struct BodyPair
{
  int i, j;
};

/// In words, what p >= 0 with B*p = 0 and <b,p> < 0 (length m) says of a problem without admissible velocity: the pairs with
/// p > 0 are a chain that obstacles squeeze. "spheres 0-1-2 are squeezed between
/// the wall left and the wall right": in the order in which they touch.
std::string blocking_chain(const std::vector<BodyPair> &pairs, const std::vector<std::string> &obstacle_names, int n_spheres,
                           const Vector &p);

/// The same for the contacts of a graph.
std::string blocking_chain(const ContactGraph &graph, const std::vector<Wall> &walls, const Vector &p);

/// Throws the InputError of an impact that walls make impossible, with that chain.
[[noreturn]] void refuse_walls(const ContactGraph &graph, const std::vector<Wall> &walls, const Vector &p);
} // namespace moreau::micro

#endif
