// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_APP_SWEEP_SWEEP_H
#define MOREAU_APP_SWEEP_SWEEP_H

#include "app/input/command_line.h"
#include "app/run/run.h"

namespace moreau::app
{
/// `moreau FILE.prm --sweep ...`: one run for every combination of the values, each by a process of its own, several side by
/// side, in folders run_001, run_002, ... of the output directory, and sweep.csv with a row of each. All combinations are
/// validated before the first one runs; one that fails does not end the others. With --resume runs that have ended with the
/// same parameters are not repeated.
/// Returns done where all runs are certified, else what the worst one returned. Throws InputError.
ExitStatus sweep(const CommandLine &options, Log &log);
} // namespace moreau::app

#endif
