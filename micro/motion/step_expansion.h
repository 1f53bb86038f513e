// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MICRO_MOTION_STEP_EXPANSION_H
#define MOREAU_MICRO_MOTION_STEP_EXPANSION_H

#include "micro/motion/linearised_step.h"

namespace moreau::micro
{
/// w with e·(w_i - w_j) < 0 on every row of a step, from which its certificate has a guaranteed bound: expansion() of the
/// clusters that the rows join, whatever their gaps, away from the obstacles that they meet. Clusters that meet obstacles
/// on all sides, or their own images along a periodic axis, have none (w = 0 there).
convex::Expansion step_expansion(const std::vector<StepRow> &rows, const StepScene &scene);
} // namespace moreau::micro

#endif
