// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_CONVEX_NUMBER_TEXT_H
#define MOREAU_CONVEX_NUMBER_TEXT_H

#include <charconv>
#include <cstdio>
#include <string>

/// Numbers as messages and tables say them.
namespace moreau
{
/// The shortest digits that read back as the same number.
inline std::string digits(const double x)
{
  char buffer[32];
  return {buffer, std::to_chars(buffer, buffer + sizeof buffer, x).ptr};
}

/// Six digits: "0.333333", "1e-09".
inline std::string short_number(const double x)
{
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%g", x);
  return buffer;
}
} // namespace moreau

#endif
