// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_CONVEX_FACTORISATION_NORMAL_MATRIX_H
#define MOREAU_CONVEX_FACTORISATION_NORMAL_MATRIX_H

#include "convex/constraint_operator.h"
#include "convex/factorisation/sparse_cholesky.h"

#include <memory>
#include <utility>
#include <vector>

namespace moreau::convex
{
/// H = M + BᵀWB, the matrix of a Newton step, as block values of a fixed pattern; W = diag(w), M = diag(masses).
class NormalMatrix
{
public:
  virtual ~NormalMatrix() = default;

  /// Overwrites values() for the weights w (length m).
  virtual void assemble(const Vector &w) = 0;

  const BlockPattern &pattern() const { return blocks; }
  const Vector       &values() const { return H; }

protected:
  /// Pattern of the graph with these edges {smaller, larger node}, in any order and with repetitions; loops are added.
  void set_pattern(int dim, int n_nodes, std::vector<std::pair<int, int>> edges);

  /// The number of the block that i and j share; they are an edge.
  int block_of(int i, int j) const;

  /// H = M for masses entry by entry.
  void set_masses(const Vector &masses);

  BlockPattern blocks;
  Vector       H;
};

/// Blocks of the size of a node for a PairConstraint, single entries for any other B. masses: one per entry of a velocity.
/// Keeps references to B and masses.
std::unique_ptr<NormalMatrix> make_normal_matrix(const SparseConstraint &B, const Vector &masses);
} // namespace moreau::convex

#endif
