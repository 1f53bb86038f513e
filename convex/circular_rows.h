// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_CONVEX_CIRCULAR_ROWS_H
#define MOREAU_CONVEX_CIRCULAR_ROWS_H

#include "convex/velocity_space.h"

#include <vector>

namespace moreau::convex
{
/// Rows that demand something together: Bv <= b is b - Bv ∈ Q then, with Q a product of the circular cones
///     { y : y_0 >= |(y_1, ... y_{k-1})| }
/// of blocks of k consecutive rows; k = 1 is an inequality of its own. Q is its own dual: multipliers are p ∈ Q, and
/// <y, p> >= 0.
struct CircularRows
{
  std::vector<Index> begin = {0}; ///< first row of each block, and the number of rows behind the last

  Index n_blocks() const { return static_cast<Index>(begin.size()) - 1; }
  Index n_rows() const { return begin.back(); }
  Index size(const Index block) const { return begin[block + 1] - begin[block]; }

  void append(const Index size) { begin.push_back(begin.back() + size); }

  /// How far y (m) is beyond -Q, |(y_1, ...)| + y_0 of its block, in each row of a block: <= 0 where -y ∈ Q.
  Vector excess(const Vector &y) const;

  /// The point of Q nearest to y (m).
  Vector nearest(const Vector &y) const;

  /// The largest entry of each block, in all of its rows.
  Vector largest_of_blocks(const Vector &y) const;

  /// <y, p> block by block (n_blocks).
  Vector products(const Vector &y, const Vector &p) const;
};
} // namespace moreau::convex

#endif
