// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_CONVEX_NAMED_ARRAYS_H
#define MOREAU_CONVEX_NAMED_ARRAYS_H

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace moreau::convex
{
/// Everything that makes a computation go on bit for bit as if it had not been interrupted.
struct NamedArrays
{
  std::map<std::string, std::vector<double>>       reals;
  std::map<std::string, std::vector<std::int64_t>> integers;
};
} // namespace moreau::convex

#endif
