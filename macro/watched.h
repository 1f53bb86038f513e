// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MACRO_WATCHED_H
#define MOREAU_MACRO_WATCHED_H

#include "convex/cone_projection.h"
#include "geometry/progress.h"

namespace moreau::macro
{
/// The criterion, with the errors that solvers report to it told as a fraction of the decades from the largest one down to
/// what is enough.
convex::StoppingCriterion watched(convex::StoppingCriterion criterion, const geometry::Progress &progress);
} // namespace moreau::macro

#endif
