// SPDX-License-Identifier: GPL-3.0-or-later
#include "micro/motion/initial_overlap.h"

#include "micro/contact_graph.h"

#include "convex/input_error.h"

#include <sstream>

namespace moreau::micro
{
void require_no_overlap(const Spheres &now, const PeriodicObstacles &placed, const PeriodicBox &box)
{
  constexpr double            allowed = usual_contact_tolerance;
  const PairSearch            search(now.r, now.R, box);
  const std::vector<NearPair> overlapping = search.pairs([&](const NearPair &pair) {
    return pair.x.norm() < now.R(pair.i) + now.R(pair.j) - allowed * std::min(now.R(pair.i), now.R(pair.j));
  });
  std::ostringstream          message;
  message.precision(3);
  if (!overlapping.empty())
    {
      const NearPair &pair = overlapping.front();
      message << "Spheres " << pair.i << " and " << pair.j << " overlap at the beginning by "
              << now.R(pair.i) + now.R(pair.j) - pair.x.norm() << " m";
      if (overlapping.size() > 1)
        message << ", the first of " << overlapping.size() << " overlaps";
      message << "; correct their positions or radii (spheres are numbered from 0).";
      throw InputError("the spheres", message.str());
    }
  for (Index i = 0; i < now.size(); ++i)
    {
      const double *const x = now.r.col(i).data();
      placed.visit_near(x, now.R(i), 0., [&](const int k, const PeriodicObstacles::Image image) {
        if (const Approach approach = placed.approach(k, image, x, now.R(i)); !(approach.D >= -allowed * now.R(i)))
          {
            message << "Sphere " << i << " reaches into " << placed.as_placed().obstacles()[k].name << " by " << -approach.D
                    << " m at the beginning; move one of them (spheres are numbered from 0).";
            throw InputError("the spheres", message.str());
          }
      });
    }
}
} // namespace moreau::micro
