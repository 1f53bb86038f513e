// SPDX-License-Identifier: GPL-3.0-or-later
#include "micro/motion/jumping_obstacle.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace moreau::micro
{
namespace
{
/// What is left of a way after many halvings of its time, each of which keeps the half with the longer way.
ObstacleJump remainder(const Obstacles &obstacles, const int k, const Vector &x, double t, double h)
{
  constexpr double least = 1e-13; // of t: what its digits resolve
  const auto way = [&](const double from, const double time) { return time * obstacles.velocity(k, x, from, time).norm(); };
  while (h > least * std::max(std::abs(t), h))
    {
      const double half   = .5 * h;
      const double middle = t + half;
      if (!(t < middle && middle < t + h))
        break;
      if (way(middle, half) > way(t, half))
        t = middle;
      h = half;
      if (h < 1e-300)
        break;
    }
  return {k, t, way(t, h)};
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

  std::optional<ObstacleJump> largest;
  for (int k = 0; k < obstacles.size(); ++k)
    {
      if (!obstacles.moves(k))
        continue;
      std::vector<std::pair<double, std::size_t>> ways(n);
      for (std::size_t i = 0; i < n; ++i)
        ways[i] = {-part * obstacles.velocity(k, x, begin + part * static_cast<double>(i), part).norm(), i};
      std::partial_sort(ways.begin(), ways.begin() + std::min(most, n), ways.end());
      for (std::size_t i = 0; i < std::min(most, n); ++i)
        {
          const auto &[minus_way, which] = ways[i];
          const ObstacleJump left        = remainder(obstacles, k, x, begin + part * static_cast<double>(which), part);
          // of a continuous way 1e-12 and less is left
          if (left.length > 1e-3 * -minus_way && (!largest || left.length > largest->length))
            largest = left;
        }
    }
  return largest;
}
} // namespace moreau::micro
