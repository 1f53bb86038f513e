// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_CONVEX_WITH_DIMENSION_H
#define MOREAU_CONVEX_WITH_DIMENSION_H

#include <type_traits>

namespace moreau::convex
{
/// f(d), d() the dimension as a compile-time constant, so that inner loops unroll; 3 where it is neither 1 nor 2.
template <class F>
auto with_dimension(const long dim, F &&f)
{
  if (dim == 1)
    return f(std::integral_constant<int, 1>());
  if (dim == 2)
    return f(std::integral_constant<int, 2>());
  return f(std::integral_constant<int, 3>());
}
} // namespace moreau::convex

#endif
