// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_APP_RUN_SINGLE_IMPACT_H
#define MOREAU_APP_RUN_SINGLE_IMPACT_H

#include "app/run/micro_outcome.h"

namespace moreau::app
{
/// One impact of what touches now, with the files that show it. Throws InputError where walls leave no admissible velocity.
MicroOutcome single_impact(const MicroSetting &run, const convex::Impact *known = nullptr);
} // namespace moreau::app

#endif
