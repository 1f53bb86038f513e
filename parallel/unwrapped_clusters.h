// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_PARALLEL_UNWRAPPED_CLUSTERS_H
#define MOREAU_PARALLEL_UNWRAPPED_CLUSTERS_H

#include "convex/shared_network.h"
#include "micro/contact_graph.h"
#include "parallel/collectives.h"

#include <map>

namespace moreau::parallel
{
/// micro::unwrapped() of a network in parts: where clusters lie when each is laid out in one piece from its first sphere on,
/// as far as it has ends. Images are counted in whole numbers, so that no digit depends on who found which contact first.
struct UnwrappedClusters
{
  /// Centres of own spheres (d x n_own, m); where clusters have no end some image, defined up to multiples along there.
  Eigen::MatrixXd r;

  /// By the number of the first sphere of a cluster: an orthonormal basis (d x 1 ... d) of the directions in which it has no
  /// end, since it touches its own images. Of all processes; nothing of clusters that have ends.
  std::map<Index, Eigen::MatrixXd> endless;
};

/// All processes call.
///   r         of own spheres, d x n_own (m)
///   contacts  the rows of `network`
///   box       within which they lie; of length 0: nothing is done
UnwrappedClusters unwrapped_clusters(const convex::SharedNetwork &network, const Eigen::MatrixXd &r,
                                     const std::vector<micro::Contact> &contacts, const micro::PeriodicBox &box);
} // namespace moreau::parallel

#endif
