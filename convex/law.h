// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_CONVEX_LAW_H
#define MOREAU_CONVEX_LAW_H

namespace moreau::convex
{
/// Which of Moreau's laws: u⁺ = U - (1+e)(U - P_K U), repeated.
struct Law
{
  double       restitution = 0.; ///< e in [0, 1]
  unsigned int max_repetitions =
      1000; ///< after so many applications one with e = 0 ends an inelastic collapse; 1: single_impact()
};
} // namespace moreau::convex

#endif
