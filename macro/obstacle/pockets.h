// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MACRO_OBSTACLE_POCKETS_H
#define MOREAU_MACRO_OBSTACLE_POCKETS_H

#include "macro/obstacle/link_operator.h"

namespace moreau::macro
{
/// Connected sets of unknown cells that no link leads out of: there a
/// LinkOperator is singular and x unique up to a constant.
class Pockets
{
public:
  Pockets() = default; ///< none
  /// is_unknown: ghosts up to date.
  Pockets(const LevelBox &box, const LinkOperator &A, const std::vector<char> &is_unknown);

  bool empty() const { return n == 0; }

  /// Takes min x = 0 in every pocket. Ghosts of x are not changed.
  void remove_constants(const LevelBox &box, std::vector<double> &x) const;
  /// Where f presses on the whole, takes it from its mean: with x >= 0, Ax >= f has no solution there.
  void remove_positive_means(const LevelBox &box, std::vector<double> &f) const;

private:
  template <class F>
  void for_cells(const LevelBox &box, F &&f) const;

  Index              n = 0;  ///< of all processes
  std::vector<Index> pocket; ///< of a cell, or -1; empty where there are none
};
} // namespace moreau::macro

#endif
