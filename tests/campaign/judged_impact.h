// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_TESTS_CAMPAIGN_JUDGED_IMPACT_H
#define MOREAU_TESTS_CAMPAIGN_JUDGED_IMPACT_H

#include "tests/campaign/random_impact.h"

#include <cstdint>
#include <string>
#include <vector>

namespace moreau::campaign
{
/// What was found, by the name of the solver or for all of them.
struct Counts
{
  std::int64_t impacts = 0, without_contacts = 0;
  std::int64_t bounds    = 0; ///< guaranteed bounds that were compared with the true error
  std::int64_t estimates = 0; ///< that are none, in cases that the oracle solved
  std::int64_t converged = 0, infeasible = 0;
  std::int64_t undecided               = 0;  ///< by the oracle: nothing is said of these
  std::int64_t momenta                 = 0;  ///< impacts without walls, of which the momentum was compared
  double       largest_ratio           = 0.; ///< of true error and guaranteed bound
  double       largest_estimate_ratio  = 0.; ///< of true error and estimate, where it converged
  double       largest_momentum_change = 0.; ///< relative to Σ m |U|

  std::vector<std::string> faults; ///< a sentence for everything that should not be

  void operator+=(const Counts &other);
};

/// Runs the impact and compares with the oracle:
///   contacts, their directions and the speeds of walls      with all pairs of spheres, looked at one by one;
///   a guaranteed bound                                      is not below |u - P_K U| in the metric of the masses;
///   "converged"                                             has an error within what is demanded; or, of an estimate, the
///                                                           residuals that are; and K is not empty, or by less than
///                                                           these;
///   "infeasible"                                            is proved by the oracle, too;
///   u⁺ of one application                                   is U - (1+e)(U - P_K U) within (1+e) times the bound;
///   momentum without walls, energy without moving walls     is kept; does not grow;
///   summary.json                                            has null in the place of every bound that is none.
Counts judged(const RandomImpact &impact, unsigned int seed);
} // namespace moreau::campaign

#endif
