// SPDX-License-Identifier: GPL-3.0-or-later
#include "micro/motion/impossible_step.h"

#include "convex/input_error.h"
#include "micro/blocking_chain.h"

#include <algorithm>
#include <sstream>

namespace moreau::micro
{
std::string time_text(const double t)
{
  std::ostringstream text;
  text << t << " s";
  return text.str();
}

void require_no_passage(const Obstacles &bodies, const PlacedObstacles &before, const PlacedObstacles &after,
                        const Spheres &spheres, const std::vector<Index> &ids, const double time, const double h)
{
  for (int k = 0; k < after.size(); ++k)
    {
      if (!bodies.moves(k) || !after.obstacles()[k].is_bounded())
        continue;
      for (Index i = 0; i < spheres.size(); ++i)
        {
          const Vector x     = spheres.r.col(i);
          const double moved = h * bodies.velocity(k, x, time, h).norm();
          const double thick = spheres.R(i) + after.obstacles()[k].radius;
          if (moved <= thick)
            continue;
          const Approach first = before.approach(k, x.data(), spheres.R(i));
          const Approach then  = after.approach(k, x.data(), spheres.R(i));
          if (std::min(first.D, then.D) <= moved && first.e.dot(then.e) < 0.)
            {
              std::ostringstream message;
              message << after.obstacles()[k].name << " moves by " << moved << " m in the step after " << time_text(time)
                      << " and would jump over sphere " << ids[i] << "; shorten the step to less than " << h * thick / moved
                      << " s.";
              throw InputError("the time step", message.str());
            }
        }
    }
}

void refuse_step(const StepSolution &solution, const SphereSystem &system, const PlacedObstacles &placed,
                 const std::vector<Index> &ids, const double t_next)
{
  std::vector<BodyPair>    pairs;
  std::vector<std::string> names;
  std::string              subject; // the motion of a body that squeezes
  const auto               n_ids = static_cast<int>(system.spheres.size());
  const auto               id    = [&](const int i) { return static_cast<int>(ids[i]); };
  for (std::size_t c = 0; c < solution.rows.size(); ++c)
    {
      const StepRow &row = solution.rows[c];
      const int      k   = row.j - static_cast<int>(ids.size());
      pairs.push_back({id(row.i), k < 0 ? id(row.j) : n_ids + k});
      if (k >= 0 && solution.x.p(c) > 0. && system.obstacles.moves(k))
        subject = placed.obstacles()[k].subject;
    }
  for (const Obstacle &obstacle : placed.obstacles())
    names.push_back(obstacle.name);
  const bool growth = subject.empty() && system.radii;
  throw InputError(growth            ? "the growth"
                   : subject.empty() ? "the obstacles"
                                     : subject,
                   "There is no room left in the step to time " + time_text(t_next) + ": " +
                       blocking_chain(pairs, names, n_ids, solution.x.p) + "; change " +
                       (growth ? "the growth" : "the motion") + " or end before.");
}
} // namespace moreau::micro
