// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_TESTS_CAMPAIGN_RANDOM_IMPACT_H
#define MOREAU_TESTS_CAMPAIGN_RANDOM_IMPACT_H

#include "convex/cone_projection.h"
#include "convex/law.h"
#include "micro/spheres.h"

#include <string>
#include <vector>

namespace moreau::campaign
{
/// An impact as a user may state it, and how it is to be solved.
struct RandomImpact
{
  std::string               kind; ///< "row", "lattice", "grown"
  micro::Spheres            spheres;
  std::vector<micro::Wall>  walls; ///< they touch the outermost spheres
  micro::Vector             U;
  convex::Law               law;
  std::string               solver;
  convex::StoppingCriterion criterion;
};

/// 1 to 60 spheres in dimension 1 to 3, in rows, pieces of lattices with vacancies and clusters that grew sphere by sphere;
/// up to four walls, at rest or moving; masses over 0 to 12 decades, e = 0, 1 or between; any solver. Gaps are either
/// rounding or above a thousandth of the smallest radius, so that there is no doubt which spheres touch. Depends on the
/// seed alone.
RandomImpact random_impact(unsigned int seed);
} // namespace moreau::campaign

#endif
