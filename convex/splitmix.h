// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_CONVEX_SPLITMIX_H
#define MOREAU_CONVEX_SPLITMIX_H

#include <cstdint>

namespace moreau::convex
{
/// The finaliser of splitmix64 (Steele, Lea, Flood 2014): every bit of x moves about half of the bits of the result.
inline std::uint64_t mixed(std::uint64_t x)
{
  x += 0x9E3779B97F4A7C15u;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}

/// The leading bits of x as a number in [0, 1).
inline double fraction_of(const std::uint64_t x) { return static_cast<double>(x >> 11) * 0x1p-53; }
} // namespace moreau::convex

#endif
