// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_APP_PROBLEMS_H
#define MOREAU_APP_PROBLEMS_H

#include "app/log.h"
#include "app/parameters.h"

namespace moreau::app
{
/// Exit status of the program.
enum class ExitStatus
{
  done          = 0, ///< and certified
  bad_input     = 1,
  not_converged = 2, ///< results are written and marked
  other         = 3
};

/// Computes what `set Problem = ...` asks for and writes the files of the run. Throws InputError.
ExitStatus run_problem(ParameterFile &file, Log &log);

/// Reads and validates what run_problem would use, computes and writes nothing. Throws InputError.
void check_problem(ParameterFile &file, Log &log);
} // namespace moreau::app

#endif
