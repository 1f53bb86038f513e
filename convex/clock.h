// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_CONVEX_CLOCK_H
#define MOREAU_CONVEX_CLOCK_H

#include <chrono>

namespace moreau::convex
{
using Clock = std::chrono::steady_clock;

/// s of the clock.
inline double seconds_since(const Clock::time_point start)
{
  return std::chrono::duration<double>(Clock::now() - start).count();
}
} // namespace moreau::convex

#endif
