// SPDX-License-Identifier: GPL-3.0-or-later
#include "micro/motion/closed_contacts.h"

#include "convex/solvers/facial_reduction.h"
#include "micro/pair_search.h"

#include <algorithm>

namespace moreau::micro
{
PeriodicBox box_of(const SphereMotion &motion) { return {motion.system().lower, motion.system().period}; }

std::vector<StepRow> rows_within(const SphereMotion &motion, const double tolerance)
{
  const Spheres       &spheres = motion.spheres();
  const PeriodicBox    box     = box_of(motion);
  const Index          n       = spheres.size();
  std::vector<StepRow> rows;
  const PairSearch     search(spheres.r, spheres.R.array() + .5 * tolerance, box);
  const auto gap_of = [&](const NearPair &pair) { return pair.x.norm() - (spheres.R(pair.i) + spheres.R(pair.j)); };
  for (const NearPair &pair : search.pairs([&](const NearPair &near) { return gap_of(near) <= tolerance; }))
    rows.push_back({pair.i, pair.j, pair.image, pair.x.normalized(), gap_of(pair)});
  const PeriodicObstacles obstacles(motion.obstacles(), box);
  for (Index i = 0; i < n; ++i)
    obstacles.visit_near(&spheres.r(0, i), spheres.R(i), tolerance, [&](const int k, const PeriodicObstacles::Image image) {
      const Approach approach = obstacles.approach(k, image, &spheres.r(0, i), spheres.R(i));
      if (approach.D <= tolerance)
        rows.push_back({static_cast<int>(i), static_cast<int>(n + k), image * StepRow::supports, approach.e, approach.D});
    });
  std::sort(rows.begin(), rows.end());
  return rows;
}

ClosedContacts closed_contacts(const SphereMotion &motion, const double tolerance, const Index limit)
{
  const Spheres &spheres = motion.spheres();
  ClosedContacts result;
  result.graph.dim       = spheres.dimension();
  result.graph.n_spheres = spheres.size();
  result.graph.box       = box_of(motion);
  result.rigid.emplace();
  if (spheres.size() == 0)
    return result;
  const std::vector<StepRow> rows = rows_within(motion, tolerance);
  for (const StepRow &row : rows)
    result.graph.contacts.push_back(
        {row.i, row.j, row.D, row.e, row.j < spheres.size() ? static_cast<std::int32_t>(row.image) : 0});
  if (!rows.empty())
    result.rigid = convex::rigid_rows(
        step_problem(rows, spheres.m, spheres.dimension(), Vector::Zero(spheres.r.size()), Vector()), limit);
  return result;
}
} // namespace moreau::micro
