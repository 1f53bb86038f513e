// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_CONVEX_VECTORS_H
#define MOREAU_CONVEX_VECTORS_H

#include <Eigen/Core>

#include <vector>

namespace moreau::convex
{
/// The same numbers as a vector to compute with, and back.
inline Eigen::VectorXd vector(const std::vector<double> &values)
{
  return Eigen::Map<const Eigen::VectorXd>(values.data(), static_cast<Eigen::Index>(values.size()));
}

inline std::vector<double> values(const Eigen::VectorXd &vector) { return {vector.data(), vector.data() + vector.size()}; }
} // namespace moreau::convex

#endif
