// SPDX-License-Identifier: GPL-3.0-or-later
#include "micro/motion/initial_overlap.h"

#include "micro/contact_graph.h"

#include "convex/input_error.h"

#include <sstream>

namespace moreau::micro
{
void require_no_overlap(const Spheres &now, const PlacedObstacles &placed, const PeriodicBox &box)
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
  const std::vector<std::int32_t> images = box.images();
  for (Index i = 0; i < now.size(); ++i)
    for (const std::int32_t image : images)
      {
        const Vector x = now.r.col(i) + box.displacement(image, now.dimension());
        placed.visit_near(x.data(), now.R(i), 0., [&](const int k) {
          if (image != 0 && !placed.obstacles()[k].is_bounded())
            return;
          if (const Approach approach = placed.approach(k, x.data(), now.R(i)); !(approach.D >= -allowed * now.R(i)))
            {
              message << "Sphere " << i << " reaches into " << placed.obstacles()[k].name << " by " << -approach.D
                      << " m at the beginning; move one of them (spheres are numbered from 0).";
              throw InputError("the spheres", message.str());
            }
        });
      }
}
} // namespace moreau::micro
