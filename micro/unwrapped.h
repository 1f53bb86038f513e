// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MICRO_UNWRAPPED_H
#define MOREAU_MICRO_UNWRAPPED_H

#include "micro/contact_graph.h"

namespace moreau::micro
{
/// A periodic packing laid out in space: each cluster of touching spheres in one piece, as far as it has ends.
struct Unwrapped
{
  Eigen::MatrixXd r; ///< centres (d x n, m): some image of each sphere
  /// Per cluster an orthonormal basis (d x 0 ... d) of the directions in which it touches its own images and has no end.
  std::vector<Eigen::MatrixXd> endless;
};

/// cluster: of each sphere, 0 ... n_clusters-1, as contacts between spheres connect them.
Unwrapped unwrapped(const Spheres &spheres, const ContactGraph &graph, const std::vector<int> &cluster, int n_clusters);
} // namespace moreau::micro

#endif
