// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MICRO_NETWORK_RIGID_CLUSTERS_H
#define MOREAU_MICRO_NETWORK_RIGID_CLUSTERS_H

#include "micro/contact_graph.h"

#include <vector>

namespace moreau::micro
{
/// Spheres that rigid contacts join, contacts that no admissible velocity opens (convex::Face). Walls join nothing, or
/// everything between them would be one: a sphere whose only rigid contacts are with walls is a cluster of its own.
/// Clusters need not move as one body: rigid contacts stay closed, but may slide.
struct RigidClusters
{
  std::vector<int> of_sphere; ///< number of its cluster, 0, 1, ... in the order of their first spheres; -1: no rigid contact
  Index            n_clusters = 0;
  Index            largest    = 0; ///< spheres in the largest one
};

/// rigid: per contact of the graph; of length 0 where none is. Throws std::invalid_argument for another length.
RigidClusters rigid_clusters(const ContactGraph &graph, const std::vector<char> &rigid);
} // namespace moreau::micro

#endif
