// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_CONVEX_IN_PIECES_H
#define MOREAU_CONVEX_IN_PIECES_H

#include "convex/velocity_space.h"

#include <tbb/parallel_for.h>

#include <algorithm>

namespace moreau::convex
{
/// f(begin, end) for pieces of n items, by TBB's threads from `worth_threads` items on; all at once where there are fewer.
/// What is done with an item must not depend on the others.
template <class F>
void in_pieces(const Index n, const Index worth_threads, F &&f)
{
  constexpr Index piece = 4096;
  if (n < worth_threads)
    f(Index(0), n);
  else
    tbb::parallel_for(Index(0), (n + piece - 1) / piece, [&](const Index k) { f(k * piece, std::min(n, (k + 1) * piece)); });
}
} // namespace moreau::convex

#endif
