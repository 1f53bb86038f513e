// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MACRO_OBSTACLE_LINK_OBSTACLE_H
#define MOREAU_MACRO_OBSTACLE_LINK_OBSTACLE_H

#include "macro/obstacle/pockets.h"

namespace moreau::macro
{
/// x >= 0, Ax - f >= 0, complementary, on the unknown cells of a level.
struct LinkObstacle
{
  explicit LinkObstacle(const LevelBox &box) : A(box), f(box.size, 0.), is_unknown(box.size, 0) {}

  LinkOperator        A;
  std::vector<double> f;
  std::vector<char>   is_unknown;        ///< ghosts up to date
  bool                is_closed = false; ///< A is singular, x unique up to a constant: min x = 0 is taken
  Pockets             pockets;           ///< the same for parts of the unknowns; on coarser levels they are forgotten
};

/// The same problem on cells twice as large, each around a cell of the finer level: fluxes through neighbouring faces are
/// added, two links in a row are one that is half as strong. A link that leaves the unknowns ends there. The right-hand side
/// is left out.
LinkObstacle coarsened(const LevelChain &chain, std::size_t level, const LinkObstacle &finer);
} // namespace moreau::macro

#endif
