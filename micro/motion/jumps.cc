// SPDX-License-Identifier: GPL-3.0-or-later
#include "micro/motion/jumps.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>
#include <vector>

namespace moreau::micro
{
namespace
{
/// What is left of the way from a to b after as many halvings as digits allow, each of which keeps the longer half.
Jump remainder(const std::function<double(double, double)> &way, double a, double b)
{
  constexpr double least = 1e-13; // of the time
  for (const double shortest = least * std::max(std::abs(a), std::abs(b)); b - a > shortest;)
    {
      const double middle = a + .5 * (b - a);
      if (!(a < middle && middle < b))
        break;
      (way(middle, b) > way(a, middle) ? a : b) = middle;
    }
  return {b, way(a, b)};
}
} // namespace

std::optional<Jump> largest_jump(const std::function<double(double a, double b)> &way, const double begin, const double end,
                                 const double h)
{
  constexpr std::size_t most_parts = 100000, most = 32;
  if (!(end > begin) || !(h > 0.))
    return {};
  const auto   n       = static_cast<std::size_t>(std::clamp(std::ceil((end - begin) / h), 1., double(most_parts)));
  const double part    = (end - begin) / static_cast<double>(n);
  const auto   instant = [&](const std::size_t i) { return begin + part * static_cast<double>(i); };

  std::vector<std::pair<double, std::size_t>> ways(n);
  for (std::size_t i = 0; i < n; ++i)
    ways[i] = {-way(instant(i), instant(i + 1)), i};
  std::partial_sort(ways.begin(), ways.begin() + std::min(most, n), ways.end());
  std::optional<Jump> largest;
  for (std::size_t i = 0; i < std::min(most, n); ++i)
    {
      const auto &[minus_way, which] = ways[i];
      const Jump left                = remainder(way, instant(which), instant(which + 1));
      // of a continuous way 1e-12 and less is left
      if (left.length > 1e-3 * -minus_way && (!largest || left.length > largest->length))
        largest = left;
    }
  return largest;
}

std::optional<ObstacleJump> largest_jump(const Obstacles &obstacles, const Vector &x, const double begin, const double end,
                                         const double h)
{
  const PlacedObstacles       placed = obstacles.at(begin);
  std::set<int>               groups; // of which each moves as a whole
  std::optional<ObstacleJump> largest;
  for (int k = 0; k < obstacles.size(); ++k)
    {
      if (!obstacles.moves(k) || !groups.insert(placed.obstacles()[k].group).second)
        continue;
      // ends stand for themselves: a jump may be at one
      const auto way  = [&](const double a, const double b) { return (b - a) * obstacles.velocity(k, x, a, b - a).norm(); };
      const auto jump = largest_jump(way, begin, end, h);
      if (jump && (!largest || jump->length > largest->jump.length))
        largest = {k, *jump};
    }
  return largest;
}
} // namespace moreau::micro
