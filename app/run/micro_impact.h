// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_APP_RUN_MICRO_IMPACT_H
#define MOREAU_APP_RUN_MICRO_IMPACT_H

#include "app/run/run.h"

namespace moreau::app
{
/// `Problem = micro impact`: Moreau's law for a configuration of spheres (BM, eq. 3-4, 8), with all files of the run.
/// Throws InputError, also where moving walls leave no admissible velocity.
std::unique_ptr<Run> micro_impact(ParameterFile &file, Log &log);
} // namespace moreau::app

#endif
