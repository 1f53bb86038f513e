// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_APP_RUN_FLOW_CONGESTED_FLOW_H
#define MOREAU_APP_RUN_FLOW_CONGESTED_FLOW_H

#include "app/run/run.h"

namespace moreau::app
{
/// `Problem = congested flow`: all steps, statistics, pictures, checkpoints.
/// resume: goes on from the checkpoint in the output directory.
/// Throws InputError.
ExitStatus congested_flow(ParameterFile &file, Log &log, bool resume);

/// Reads and validates what congested_flow would use. Throws InputError.
void check_congested_flow(ParameterFile &file, Log &log);
} // namespace moreau::app

#endif
