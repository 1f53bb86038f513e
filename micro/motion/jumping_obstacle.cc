// SPDX-License-Identifier: GPL-3.0-or-later
#include "micro/motion/jumping_obstacle.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>
#include <vector>

namespace moreau::micro
{
namespace
{
/// How far it goes from a to b. Ends stand for themselves: a jump may be at one.
double way(const Obstacles &obstacles, const int k, const Vector &x, const double a, const double b)
{
  return (b - a) * obstacles.velocity(k, x, a, b - a).norm();
}

/// What is left of the way from a to b after as many halvings as digits allow, each of which keeps the longer half.
ObstacleJump remainder(const Obstacles &obstacles, const int k, const Vector &x, double a, double b)
{
  constexpr double least = 1e-13; // of the time
  for (const double shortest = least * std::max(std::abs(a), std::abs(b)); b - a > shortest;)
    {
      const double middle = a + .5 * (b - a);
      if (!(a < middle && middle < b))
        break;
      (way(obstacles, k, x, middle, b) > way(obstacles, k, x, a, middle) ? a : b) = middle;
    }
  return {k, b, way(obstacles, k, x, a, b)};
}
} // namespace

std::optional<ObstacleJump> largest_jump(const Obstacles &obstacles, const Vector &x, const double begin, const double end,
                                         const double h)
{
  constexpr std::size_t most_parts = 100000, most = 32;
  if (!(end > begin) || !(h > 0.))
    return {};
  const auto   n    = static_cast<std::size_t>(std::clamp(std::ceil((end - begin) / h), 1., double(most_parts)));
  const double part = (end - begin) / static_cast<double>(n);

  const PlacedObstacles       placed = obstacles.at(begin);
  std::set<int>               groups; // of which each moves as a whole
  std::optional<ObstacleJump> largest;
  for (int k = 0; k < obstacles.size(); ++k)
    {
      if (!obstacles.moves(k) || !groups.insert(placed.obstacles()[k].group).second)
        continue;
      std::vector<std::pair<double, std::size_t>> ways(n);
      const auto instant = [&](const std::size_t i) { return begin + part * static_cast<double>(i); };
      for (std::size_t i = 0; i < n; ++i)
        ways[i] = {-way(obstacles, k, x, instant(i), instant(i + 1)), i};
      std::partial_sort(ways.begin(), ways.begin() + std::min(most, n), ways.end());
      for (std::size_t i = 0; i < std::min(most, n); ++i)
        {
          const auto &[minus_way, which] = ways[i];
          const ObstacleJump left        = remainder(obstacles, k, x, instant(which), instant(which + 1));
          // of a continuous way 1e-12 and less is left
          if (left.length > 1e-3 * -minus_way && (!largest || left.length > largest->length))
            largest = left;
        }
    }
  return largest;
}
} // namespace moreau::micro
