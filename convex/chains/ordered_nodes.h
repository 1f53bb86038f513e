// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_CONVEX_CHAINS_ORDERED_NODES_H
#define MOREAU_CONVEX_CHAINS_ORDERED_NODES_H

#include "convex/chains/shared_lines.h"

#include <tbb/parallel_for.h>

#include <vector>

namespace moreau::convex
{
/// The nodes of a problem on chains in the order in which work on runs has them in memory, and sums over them in an order
/// that depends neither on threads nor on processes.
class OrderedNodes
{
public:
  /// network: that of the problem, or null. shared: its lines, which have an order of their own for the nodes where one
  /// process has all of them: neighbours on runs are near each other.
  OrderedNodes(const SharedNetwork *network, const std::vector<const LinesAlong *> &shared, Index n);

  /// In the problem, of node i.
  Index number(const Index i) const { return numbers.empty() ? i : numbers[i]; }

  /// Whether the nodes have the order of the problem.
  bool are_as_given() const { return numbers.empty(); }

  /// Where they do not: the node of each position of family k.
  const std::vector<int> &on_runs(const std::size_t k) const { return of_family[k]; }

  /// Calls body(i) for all nodes in parallel.
  template <class Body>
  void for_all(Body &&body) const
  {
    tbb::parallel_for(std::size_t(1), pieces.size(), [&](const std::size_t c) {
      for (Index i = pieces[c - 1]; i < pieces[c]; ++i)
        body(i);
    });
  }

  /// Σ term(i) over all nodes of all processes.
  template <class Term>
  double sum(Term &&term)
  {
    if (are_as_given())
      return sum_of_pieces(term);
    terms.resize(n);
    for_all([&](const Index i) { terms[numbers[i]] = term(i); });
    return sum_of_pieces([&](const Index i) { return terms[i]; });
  }

private:
  const SharedNetwork          *network;
  Index                         n;
  std::vector<Index>            pieces;    ///< first nodes of pieces of work, and n: the blocks of the network
  std::vector<Index>            numbers;   ///< empty: as they are
  std::vector<std::vector<int>> of_family; ///< likewise
  std::vector<double>           terms;     ///< of a sum, in the order of the problem

  template <class Term>
  double sum_of_pieces(Term &&term) const
  {
    std::vector<double> partial(pieces.size() - 1);
    tbb::parallel_for(std::size_t(0), partial.size(), [&](const std::size_t c) {
      double sum = 0.;
      for (Index i = pieces[c]; i < pieces[c + 1]; ++i)
        sum += term(i);
      partial[c] = sum;
    });
    if (network)
      partial = network->processes().of_all_blocks(partial, 1);
    double sum = 0.;
    for (const double part : partial)
      sum += part;
    return sum;
  }
};
} // namespace moreau::convex

#endif
