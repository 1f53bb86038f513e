// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_APP_RUN_PROBLEMS_H
#define MOREAU_APP_RUN_PROBLEMS_H

#include "app/output/log.h"
#include "app/input/parameters.h"

namespace moreau::app
{
/// Exit status of the program.
enum class ExitStatus
{
  done          = 0, ///< and certified
  bad_input     = 1,
  not_converged = 2, ///< results are written and marked
  other         = 3,
  interrupted   = 130, ///< stopped by SIGINT where it can go on: 128 + signal, as shells say it
  terminated    = 143  ///< by SIGTERM
};

/// Computes what `set Problem = ...` asks for and writes the files of the run.
/// resume: goes on from a checkpoint. Throws InputError.
ExitStatus run_problem(ParameterFile &file, Log &log, bool resume);

/// Reads and validates what run_problem would use, computes and writes nothing. Throws InputError.
void check_problem(ParameterFile &file, Log &log);
} // namespace moreau::app

#endif
