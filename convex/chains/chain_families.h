// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_CONVEX_CHAINS_CHAIN_FAMILIES_H
#define MOREAU_CONVEX_CHAINS_CHAIN_FAMILIES_H

#include "convex/cone_projection.h"

#include <optional>
#include <vector>

namespace moreau::convex
{
/// A cone "monotone along K families of lines": what B is when all its pairs point in a few directions e_k. Along a run of
/// nodes x_0, x_1, ... that touch successively in the direction e_k
///     e_k·u(x_{l+1}) >= e_k·u(x_l) - b,
/// and a fixed body at an end of the run bounds e_k·u there. A chain around a period is closed: its run begins at its first
/// node, and a row leads from the last one back to it.
struct ChainFamilies
{
  static constexpr int         none         = -1;
  static constexpr std::size_t max_families = 12;

  struct Family
  {
    Vector           direction; ///< e_k, unit, length dim
    std::vector<int> node;      ///< run after run, each in the order of +e_k
    std::vector<int> row;       ///< as long as node: the row of B between a node and its successor; none at the end of a run
    std::vector<int> run_start; ///< n_runs + 1 positions in node
    std::vector<int> row_before; ///< per run: row of the fixed body before its first node, or none
    std::vector<int> row_after;  ///< per run: row of the fixed body behind its last node, or none
    std::vector<int> row_around; ///< per run: row from its last node to its first one, or none; empty: no run is closed

    Index n_runs() const { return static_cast<Index>(row_before.size()); }
    Index longest_run() const; ///< in nodes
    bool  is_closed(const Index r) const { return !row_around.empty() && row_around[r] != none; }
  };

  Index               dim     = 0;
  Index               n_nodes = 0;
  std::vector<Family> families; ///< every row of B is in exactly one of them; nodes without a row in a family are not listed

  Index longest_run() const; ///< in nodes
};

/// The families of B, whatever the order of its nodes and rows; nothing where there are more than 12 directions (equal to
/// 1e-12, up to sign), a node with two successors or two predecessors in one direction, or a closed chain among families
/// that are coupled.
std::optional<ChainFamilies> find_chain_families(const PairConstraint &B);

/// Are unit directions (dim x K) mutually orthogonal (to 1e-12)? Then the projection is exact, one isotonic regression per
/// run.
bool orthogonal(const Eigen::MatrixXd &directions);
bool uncoupled(const ChainFamilies &chains); ///< the same of the directions of all families
} // namespace moreau::convex

#endif
