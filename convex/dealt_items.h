// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_CONVEX_DEALT_ITEMS_H
#define MOREAU_CONVEX_DEALT_ITEMS_H

#include "convex/shared_network.h"

namespace moreau::convex
{
/// Items of which processes find something out for each other: each deals out its own, hears what the others tell of theirs,
/// and gets an answer for each. All processes call the same functions together.
class DealtItems
{
public:
  /// dealt: items of this process, for each process.
  DealtItems(const Sharing &processes, const std::vector<std::vector<Index>> &dealt);

  /// The items of this process, in the order in which they are dealt.
  const std::vector<Index> &items() const { return own; }

  /// How many of them go to each process, and how many arrive from each.
  const std::vector<int> &n_dealt() const { return to_process; }
  const std::vector<int> &n_arrived() const { return from_process; }

  /// What is told of all items that are dealt to this process. say: adds the same number of numbers for each item.
  std::vector<double> told(const std::function<void(Index item, std::vector<double> &list)> &say) const;

  /// found: n_each numbers for each item that was told of, in that order. take: gets those that others found for an own
  /// item.
  void answer(const std::vector<double> &found, int n_each,
              const std::function<void(Index item, const double *numbers)> &take) const;

private:
  const Sharing     &processes;
  std::vector<Index> own;
  std::vector<int>   to_process, from_process;
};
} // namespace moreau::convex

#endif
