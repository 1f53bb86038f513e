// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/output/time_levels.h"

#include "homogenization/convergence_study.h"

#include <algorithm>
#include <cmath>

namespace moreau::app
{
namespace
{
using micro::Index;
using micro::TrajectoryError;

double order(const double before, const double error, const double refined, const double rounding)
{
  return before > rounding && error > rounding ? std::log(before / error) / std::log(refined) : TimeLevel::unknown;
}

TrajectoryError orders(const TrajectoryError &before, const TrajectoryError &error, const double refined,
                       const TrajectoryError &rounding)
{
  return {order(before.q, error.q, refined, rounding.q), order(before.u, error.u, refined, rounding.u),
          order(before.impulse, error.impulse, refined, rounding.impulse)};
}

} // namespace

int level_before(const std::vector<TimeLevel> &levels, const int k)
{
  int before = k - 1;
  while (before >= 0 && levels[before].limit != levels[k].limit)
    --before;
  return before;
}

void find_lost(std::vector<TimeLevel> &levels, const double size)
{
  for (TimeLevel &level : levels)
    level.is_lost = size > 0. && !(level.error.q <= size);
}

void set_orders(std::vector<TimeLevel> &levels)
{
  for (std::size_t k = 0; k < levels.size(); ++k)
    if (const int l = level_before(levels, static_cast<int>(k)); l >= 0 && !levels[l].is_lost && !levels[k].is_lost)
      {
        const double refined     = levels[l].h / levels[k].h;
        levels[k].order          = orders(levels[l].error, levels[k].error, refined, levels[k].rounding);
        levels[k].distance_order = orders(levels[l].distance, levels[k].distance, refined, levels[k].rounding);
      }
}

TrajectoryError observed_orders(const std::vector<TimeLevel> &levels)
{
  const TimeLevel *nearest = &levels.back();
  for (const TimeLevel &level : levels)
    if (level.error.q < nearest->error.q)
      nearest = &level;
  const auto observed = [&](const auto &error) {
    constexpr int       n_fitted = 3;
    std::vector<double> sizes, errors;
    int                 lost = n_fitted; // how many levels ago one was, or had no error but rounding
    for (const TimeLevel &level : levels)
      if (level.limit == nearest->limit)
        {
          sizes.push_back(level.h);
          errors.push_back(error(level.error));
          lost = level.is_lost || error(level.error) <= error(level.rounding) ? 0 : lost + 1;
        }
    if (lost < n_fitted)
      return TimeLevel::unknown;
    return homogenization::observed_order(sizes, errors);
  };
  return {observed([](const TrajectoryError &e) { return e.q; }), observed([](const TrajectoryError &e) { return e.u; }),
          observed([](const TrajectoryError &e) { return e.impulse; })};
}

std::vector<int> two_limits(const Eigen::MatrixXd &distance, const double least)
{
  const Index n = distance.rows();
  if (n < 4)
    return {};
  // what is fine but far from the finest belongs to the other motion, if there is one
  const Index finest = n - 1;
  Index       other  = n / 2;
  for (Index k = other; k < finest; ++k)
    if (distance(k, finest) > distance(other, finest))
      other = k;

  std::vector<int>   limits(n);
  std::vector<Index> members[2];
  int                n_changes = 0;
  for (Index k = 0; k < n; ++k)
    {
      limits[k] = distance(k, finest) <= distance(k, other) ? 1 : 2;
      members[limits[k] - 1].push_back(k);
      n_changes += k > 0 && limits[k] != limits[k - 1];
    }
  if (n_changes < 2 || members[0].size() < 2 || members[1].size() < 2)
    return {};
  double within = 0.;
  for (const std::vector<Index> &kind : members)
    within = std::max(within, distance(kind[kind.size() - 2], kind.back()));
  const double between = distance(members[0].back(), members[1].back());
  return between > least && between > 4. * within ? limits : std::vector<int>();
}
} // namespace moreau::app
