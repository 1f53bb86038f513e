// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_APP_RUN_TIME_GRID_H
#define MOREAU_APP_RUN_TIME_GRID_H

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace moreau::app
{
/// How many steps of length h reach t: what rounding leaves beyond a whole number is no step of its own.
inline std::int64_t n_whole_steps(const double t, const double h)
{
  constexpr double round_off = 1e-6; // of a step
  return std::max<std::int64_t>(1, static_cast<std::int64_t>(std::ceil(t / h - round_off)));
}

/// t_n = n h from 0 to the end; the last step may be shorter.
struct TimeGrid
{
  TimeGrid(const double end, const double h) : end(end), h(h), n_steps(n_whole_steps(end, h)) {}

  double time(const std::int64_t step) const { return step < n_steps ? static_cast<double>(step) * h : end; }

  double       end, h; ///< s
  std::int64_t n_steps;
};
} // namespace moreau::app

#endif
