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
  convex::Certificate certificate;         ///< of (u, p) as they are given; of our own p where none is given
  convex::SaddlePoint own;                 ///< our solution, in the unknowns of the file; its certificate is its own
  double              distance    = 0.;    ///< |u - own u|
  double              at_least    = 0.;    ///< |u - u*|, from distance and the bound of own
  double              at_most     = 0.;    ///< |u - u*|: the better of both ways
  bool                guaranteed  = false; ///< at_most is a bound; else it is an estimate
  bool                is_own      = false; ///< no answer was given: own was judged
  bool                u_was_given = false; ///< else u = U - M⁻¹Bᵀp
  bool                p_was_given = false;
};

/// criterion: what the answer is to meet; our solution is sought ten times better. Where there is no answer ours is judged.
/// Throws InputError where M is not positive definite.
Verdict verdict(const ProjectionData &data, const Answer &answer, const convex::StoppingCriterion &criterion,
                const std::string &file);
} // namespace moreau::exchange

#endif
