// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_CONVEX_FACTORISATION_ELIMINATION_TREE_H
#define MOREAU_CONVEX_FACTORISATION_ELIMINATION_TREE_H

#include <functional>
#include <vector>

namespace moreau::convex
{
/// The tree, or forest, of the fronts of a factorisation, numbered in postorder: all descendants of a front before it and
/// next to each other. It is cut into parts, ranges of fronts, that threads take: whole subtrees of little work, and single
/// fronts above these. The cut follows from the tree alone, never from the number of threads. What is done with a part must
/// not depend on the order among parts that do not lie below each other: then digits do not depend on that number, either.
class EliminationTree
{
public:
  /// Fronts [begin, end).
  struct Part
  {
    int begin, end;
  };

  EliminationTree() = default;

  /// parent[s] > s is the front that s is added to, -1 that of a root; work: flops of each front. Throws
  /// std::invalid_argument where the numbers are no postorder.
  EliminationTree(std::vector<int> parent, const std::vector<double> &work);

  const std::vector<Part> &parts() const { return ranges; }
  int                      part_of(const int front) const { return part_of_front[front]; }

  /// Whether the parent of a front, if it has one, is in another part.
  bool is_handed_on(const int front) const
  {
    return parents[front] >= 0 && part_of_front[parents[front]] != part_of_front[front];
  }

  /// Calls f for every part after the parts below it; parts that do not lie below each other at the same time, by TBB's
  /// threads. What f throws ends it.
  void from_leaves(const std::function<void(int part)> &f) const;

  /// Calls f for every part after the parts above it, likewise.
  void from_roots(const std::function<void(int part)> &f) const;

private:
  std::vector<int>              parents, part_of_front;
  std::vector<Part>             ranges;
  std::vector<std::vector<int>> above, below; ///< of each part: parts that wait for it, once for each front handed on

  static void run(const std::vector<std::vector<int>> &next, const std::vector<std::vector<int>> &before,
                  const std::function<void(int)> &f);
};
} // namespace moreau::convex

#endif
