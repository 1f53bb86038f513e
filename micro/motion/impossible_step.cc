// SPDX-License-Identifier: GPL-3.0-or-later
#include "micro/motion/impossible_step.h"

#include "convex/input_error.h"
#include "convex/number_text.h"
#include "micro/blocking_chain.h"

#include <algorithm>
#include <cmath>
#include <sstream>
#include <utility>

namespace moreau::micro
{
std::string time_text(const double t) { return short_number(t) + " s"; }

namespace
{
/// How far the corners of a body move (m): none of its points moves farther.
double longest_way(const Obstacle &before, const Obstacle &after)
{
  double way = (after.a - before.a).norm();
  for (const auto &[from, to] : {std::pair(&before.b, &after.b), std::pair(&before.c, &after.c)})
    if (from->size() > 0)
      way = std::max(way, (*to - *from).norm());
  if (before.c.size() > 0)
    way = std::max(way, (after.b + after.c - after.a - (before.b + before.c - before.a)).norm());
  return way;
}
} // namespace

void require_no_passage(const Obstacles &bodies, const PeriodicObstacles &before, const PeriodicObstacles &after,
                        const Spheres &spheres, const Vector &period, const std::vector<Index> &ids, const double time,
                        const double h)
{
  for (int k = 0; k < after.size(); ++k)
    {
      const Obstacle &body = after.as_placed().obstacles()[k];
      if (!bodies.moves(k) || !body.is_bounded())
        continue;
      // within a period every way comes by
      const double way   = longest_way(before.as_placed().obstacles()[k], body);
      const double reach = 2. * (period.size() > 0 && period.minCoeff() > 0. ? std::min(way, period.maxCoeff()) : way);
      for (Index i = 0; i < spheres.size(); ++i)
        {
          const double thick = spheres.R(i) + body.radius;
          if (way <= thick)
            continue;
          after.visit_images(k, spheres.r.col(i).data(), spheres.R(i), reach, [&](const PeriodicObstacles::Image image) {
            const Vector   x     = spheres.r.col(i) + after.displacement(k, image);
            const double   moved = h * bodies.velocity(k, x, time, h).norm();
            const Approach first = before.as_placed().approach(k, x.data(), spheres.R(i));
            const Approach then  = after.as_placed().approach(k, x.data(), spheres.R(i));
            if (moved <= thick || !(std::min(first.D, then.D) <= moved && first.e.dot(then.e) < 0.))
              return;
            std::ostringstream message;
            message << body.name << " moves by " << moved << " m in the step after " << time_text(time)
                    << " and would jump over sphere " << ids[i] << "; shorten the step to less than " << h * thick / moved
                    << " s.";
            throw InputError("the time step", message.str());
          });
        }
    }
}

void require_short_flight(const PeriodicObstacles &bodies, const Vector &period, const Vector &U,
                          const std::vector<Index> &ids, const double time, const double h)
{
  if (!bodies.repeats_bodies())
    return;
  const Index dim = period.size();
  for (Index i = 0; i < U.size(); ++i)
    if (period(i % dim) > 0. && h * std::abs(U(i)) > PeriodicObstacles::longest_flight * period(i % dim))
      {
        std::ostringstream message;
        message << "Sphere " << ids[i / dim] << " moves by " << h * std::abs(U(i)) << " m in the step after "
                << time_text(time) << ", through more than " << PeriodicObstacles::longest_flight
                << " periods with all bodies in them; shorten the step.";
        throw InputError("the time step", message.str());
      }
}

void refuse_step(const StepSolution &solution, const SphereSystem &system, const PeriodicObstacles &placed,
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
        subject = placed.as_placed().obstacles()[k].subject;
    }
  for (const Obstacle &obstacle : placed.as_placed().obstacles())
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
