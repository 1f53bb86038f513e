// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_CONVEX_STRUCTURE_H
#define MOREAU_CONVEX_STRUCTURE_H

#include "convex/cone_projection.h"

#include <stdexcept>
#include <string>

namespace moreau::convex
{
/// What B and V of a problem are, for methods that do more than apply them; null where they are not of that kind.
struct Structure
{
  const SparseConstraint *entries = nullptr; ///< B has a matrix
  const PairConstraint   *pairs   = nullptr; ///< its rows are pairs of nodes: the same B
  const DiagonalSpace    *masses  = nullptr; ///< V has lumped masses

  bool has_entries() const { return entries && masses; }
  /// Nodes of the pairs are those that have the masses.
  bool on_nodes() const
  {
    return pairs && masses && masses->dimension() == pairs->dimension() &&
           masses->masses_of_nodes().size() == pairs->n_nodes();
  }
};

inline Structure structure_of(const ProjectionProblem &problem)
{
  const auto *const entries = dynamic_cast<const SparseConstraint *>(problem.B.get());
  return {entries, dynamic_cast<const PairConstraint *>(entries), dynamic_cast<const DiagonalSpace *>(problem.V.get())};
}

/// For a method that needs entries and lumped masses: throws std::invalid_argument where there are none.
inline Structure structure_with_entries(const ProjectionProblem &problem, const std::string &method)
{
  const Structure structure = structure_of(problem);
  if (!structure.has_entries())
    throw std::invalid_argument(method + " needs the entries of B (SparseConstraint) and lumped masses (DiagonalSpace).");
  return structure;
}
} // namespace moreau::convex

#endif
