// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_EXCHANGE_VERDICT_H
#define MOREAU_EXCHANGE_VERDICT_H

#include "exchange/projection_data.h"

namespace moreau::exchange
{
/// How far an answer can be from the exact projection u*, in the norm of M. All numbers are relative to certificate.scale;
/// where that is 0 they are the norm itself.
struct Verdict
{
  convex::Certificate certificate;        ///< of (u, p) as they are given; of our own p where none is given
  convex::SaddlePoint own;                ///< our solution, in the unknowns of the file; its certificate is its own
  double              distance   = 0.;    ///< |u - own u|
  double              at_least   = 0.;    ///< |u - u*|, from distance and the bound of own
  double              at_most    = 0.;    ///< |u - u*|: the better of both ways
  bool                guaranteed = false; ///< at_most is a bound; else it is an estimate
  /// Of p that was given, how far it is from being multipliers of u*: the largest of |M⁻¹Bᵀp + u* - U| and, row by row,
  /// |min(√W p, (b - Bu_p)/√W)|, W the diagonal of B M⁻¹Bᵀ. 0 for all p that fit where these are not unique.
  double of_multipliers = 0.;
  bool   is_own         = false; ///< no answer was given: own was judged
  bool   u_was_given    = false; ///< else u = U - M⁻¹Bᵀp
  bool   p_was_given    = false;

  /// All that was given is proved to be within the tolerance; where there is no scale, to be exact.
  bool certifies(double tolerance) const
  {
    const double most = certificate.scale > 0. ? tolerance : 0.;
    return guaranteed && at_most <= most && (!p_was_given || of_multipliers <= most);
  }
};

/// criterion: what the answer is to meet; our solution is sought ten times better. Where there is no answer ours is judged.
/// Throws InputError where M is not positive definite.
Verdict verdict(const ProjectionData &data, const Answer &answer, const convex::StoppingCriterion &criterion,
                const std::string &file);
} // namespace moreau::exchange

#endif
