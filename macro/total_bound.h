// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MACRO_TOTAL_BOUND_H
#define MOREAU_MACRO_TOTAL_BOUND_H

#include "macro/vocabulary.h"

#include <string>

namespace moreau::macro
{
/// Error bound against the exact projection u of the continuous problem, discretisation included: for v admissible
/// everywhere and p admissible in the continuous sense, with u_p = U - B*p,
///     η² = |v - u_p|² + 2 <-Bv, p>  >=  |v - u|² + |u_p - u|²       (norms in L² over the saturated zone).
/// v and p are built from the discrete solution; v is what fields() shows as the reconstructed velocity.
struct TotalBound
{
  bool        available         = false; ///< no construction exists: nothing below means anything
  bool        guaranteed        = false; ///< false: an estimate, `remark` says why
  double      eta               = 0.;    ///< η (m/s m^{d/2})
  double      relative          = 0.;    ///< η / |U - mean U| over the zone
  double      scale             = 0.;    ///< |U - mean U| over the zone
  double      mismatch          = 0.;    ///< |v - u_p|²
  double      work              = 0.;    ///< 2 <-Bv, p>: what v and p do to each other where both should not be
  double      oscillation       = 0.;    ///< part of η² that comes from U being no polynomial on cells, by quadrature
  double      largest_violation = 0.;    ///< of the constraints by v, in 1/s; round-off of zero
  std::string construction;              ///< "RT1 and Bernstein-Q2 from cell pressures"
  std::string remark;                    ///< one sentence, empty where there is nothing to say
  Vector      indicator;                 ///< per cell of fields(): its part of η² (own cells)
};
} // namespace moreau::macro

#endif
