// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_PARALLEL_HILBERT_ORDER_H
#define MOREAU_PARALLEL_HILBERT_ORDER_H

#include <Eigen/Core>

#include <vector>

namespace moreau::parallel
{
/// The points r (d x n, d = 1, 2, 3) along the Hilbert curve of their bounding box: neighbours in the list are neighbours in
/// space, so that consecutive pieces are compact. Points that the curve cannot tell apart keep their order.
std::vector<Eigen::Index> hilbert_order(const Eigen::MatrixXd &r);
} // namespace moreau::parallel

#endif
