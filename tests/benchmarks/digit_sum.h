// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_TESTS_BENCHMARKS_DIGIT_SUM_H
#define MOREAU_TESTS_BENCHMARKS_DIGIT_SUM_H

#include "geometry/processes.h"

#include <cstdint>
#include <cstring>

namespace moreau::benchmarks
{
/// Of the bits of the numbers of all processes; the order of the parts does not matter, and zeros do not count.
inline double digit_sum(const geometry::Vector &p, const geometry::Processes &processes)
{
  std::uint64_t sum = 0;
  for (const double value : p)
    {
      std::uint64_t bits;
      std::memcpy(&bits, &value, sizeof bits);
      sum += (bits * 0x9E3779B97F4A7C15u) >> 40;
    }
  return static_cast<double>(processes.sum(static_cast<geometry::Index>(sum)));
}
} // namespace moreau::benchmarks

#endif
