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

/// Adds the seconds from its construction to its end to what it is given.
class Stopwatch
{
public:
  explicit Stopwatch(double &seconds) : seconds(seconds), start(Clock::now()) {}
  ~Stopwatch() { seconds += seconds_since(start); }
  Stopwatch(const Stopwatch &) = delete;

private:
  double                 &seconds;
  const Clock::time_point start;
};
} // namespace moreau::convex

#endif
