// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_CONVEX_COMPONENTS_H
#define MOREAU_CONVEX_COMPONENTS_H

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

namespace moreau::convex
{
/// The connected components of things 0, 1, ..., n-1 that are joined in pairs (union-find).
class Components
{
public:
  explicit Components(const std::size_t n) : parent(n) { std::iota(parent.begin(), parent.end(), 0); }

  /// The first member of the component of k.
  int first(int k)
  {
    while (parent[k] != k)
      k = parent[k] = parent[parent[k]];
    return k;
  }

  void join(const int a, const int b)
  {
    const int i = first(a), j = first(b);
    parent[std::max(i, j)] = std::min(i, j);
  }

  /// Of each thing the number 0, 1, ... of its component, in the order of their first members; n_components is set.
  std::vector<int> numbers(int &n_components)
  {
    std::vector<int> number(parent.size());
    n_components = 0;
    for (int k = 0; k < static_cast<int>(parent.size()); ++k) // a first member comes before the others
      number[k] = first(k) == k ? n_components++ : number[first(k)];
    return number;
  }

private:
  std::vector<int> parent;
};
} // namespace moreau::convex

#endif
