// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_APP_RUN_MACRO_IMPACT_H
#define MOREAU_APP_RUN_MACRO_IMPACT_H

#include "app/run/run.h"

namespace moreau::app
{
/// `Problem = macro impact`: the projection of a velocity field on the cone of
/// a saturated zone (BM, eq. 13-16), with all files of the run.
/// In an MPI run of a distributed problem every process calls it; the first one speaks. Throws InputError.
std::unique_ptr<Run> macro_impact(ParameterFile &file, Log &log);
} // namespace moreau::app

#endif
