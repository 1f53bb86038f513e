// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/discretization.h"

namespace moreau::macro
{
Vector Discretization::momentum(const convex::Vector &u) const
{
  const auto &V = dynamic_cast<const convex::DiagonalSpace &>(*problem().V);
  return Eigen::Map<const Eigen::MatrixXd>(u.data(), V.dimension(), V.masses_of_nodes().size()) * V.masses_of_nodes();
}
} // namespace moreau::macro
