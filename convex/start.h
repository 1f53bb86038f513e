// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_CONVEX_START_H
#define MOREAU_CONVEX_START_H

#include "convex/velocity_space.h"

namespace moreau::convex
{
/// Whether a projector can start from p_start: given, one finite entry per constraint. Any other guess is passed over,
/// because a guess may cost time but never the answer.
inline bool is_start(const Vector *const p_start, const Index n_constraints)
{
  return p_start && p_start->size() == n_constraints && p_start->allFinite();
}
} // namespace moreau::convex

#endif
