// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_APP_RUN_PROBLEMS_H
#define MOREAU_APP_RUN_PROBLEMS_H

#include "app/run/run.h"

namespace moreau::app
{
/// Computes what `set Problem = ...` asks for and writes the files of the run.
/// resume: goes on from a checkpoint. Throws InputError.
ExitStatus run_problem(ParameterFile &file, Log &log, bool resume);

/// Reads and validates what run_problem would use, computes and writes nothing. Throws InputError.
void check_problem(ParameterFile &file, Log &log);
} // namespace moreau::app

#endif
