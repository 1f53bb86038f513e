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
  DealtItems(const Sharing &processes, std::vector<std::vector<Index>> dealt);

  /// What is told of all items that are dealt to this process. say: adds the same number of numbers for each item.
  std::vector<double> told(const std::function<void(Index item, std::vector<double> &list)> &say) const;

  /// found: n_each numbers for each item that was told of, in that order. take: gets those for an own item.
  void answer(const std::vector<double> &found, std::size_t n_each,
              const std::function<void(Index item, const double *numbers)> &take) const;

  /// Calls use(item) for all own items, in the order in which they are dealt.
  template <class Use>
  void for_each(Use &&use) const
  {
    for (const std::vector<Index> &items : dealt)
      for (const Index item : items)
        use(item);
  }

private:
  const Sharing                  &processes;
  std::vector<std::vector<Index>> dealt;
  std::vector<double>             n_arrived; ///< of each process
};
} // namespace moreau::convex

#endif
