// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_PARALLEL_HILBERT_ORDER_H
#define MOREAU_PARALLEL_HILBERT_ORDER_H

#include <Eigen/Core>

#include <cstdint>
#include <vector>

namespace moreau::parallel
{
/// Where the points r (d x n, d = 1, 2, 3) lie along the Hilbert curve of the box from `lower` to `upper` (d), which has
/// them all: neighbours along it are neighbours in space. Below 2^63; points nearer than a millionth of the box may have the
/// same.
std::vector<std::uint64_t> hilbert_keys(const Eigen::MatrixXd &r, const Eigen::VectorXd &lower,
                                        const Eigen::VectorXd &upper);

/// These keys in ascending order; equal ones keep their order.
std::vector<Eigen::Index> ascending(const std::vector<std::uint64_t> &keys);
} // namespace moreau::parallel

#endif
