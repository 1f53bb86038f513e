// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MACRO_OBSTACLE_LINK_OPERATOR_H
#define MOREAU_MACRO_OBSTACLE_LINK_OPERATOR_H

#include "macro/obstacle/levels.h"

namespace moreau::macro
{
/// The M-matrix (Ax)_c = Σ_links w (x_c - x_neighbour) on the unknown cells of a level; x = 0 on the others.
/// Rows have a stretch of cells that are all alike, the plain ones, where weights need not be read.
struct LinkOperator
{
  explicit LinkOperator(const LevelBox &box);

  std::array<std::vector<double>, 3> w;                      ///< link of a cell to the one before it along the axis
  std::array<double, 3>              plain_w = {0., 0., 0.}; ///< what links are where nothing is special
  std::vector<double>                diagonal, inverse;      ///< 0 where there is no unknown
  std::vector<char>                  plain;                  ///< unknown cells all of whose links are plain
  std::vector<Index> run_begin, run_end; ///< the plain cells of every own row, in the order of LevelBox::for_rows

  /// An own unknown with a single link (a wall): it follows its neighbour.
  struct Leaf
  {
    Index cell, neighbour;
  };
  std::vector<Leaf> leaves;

  /// Diagonal, plain cells and leaves, from w and plain_w. Ghosts of is_unknown and w up to date.
  void finish(const LevelBox &box, const std::vector<char> &is_unknown);
};

/// Gauss-Seidel sweep on Ax = f, cut off at 0 where projected. Ghosts of x are not changed.
template <bool projected>
void sweep(const LevelBox &box, const LinkOperator &A, const std::vector<double> &f, std::vector<double> &x, bool backwards);

/// f(position of i = 0, row number, f - Ax on the row): 0 where there is no unknown. Own rows; ghosts of x up to date.
void for_residual_rows(const LevelBox &box, const LinkOperator &A, const std::vector<double> &f,
                       const std::vector<double> &x, const std::function<void(Index, double *)> &visit);
} // namespace moreau::macro

#endif
