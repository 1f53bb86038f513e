// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_APP_RUN_TIME_CONVERGENCE_H
#define MOREAU_APP_RUN_TIME_CONVERGENCE_H

#include "app/run/problems.h"

namespace moreau::app
{
/// `Problem = time convergence`: a motion for a list of steps h against an
/// exact or the finest one; errors, orders, plot. Throws InputError.
ExitStatus time_convergence(ParameterFile &file, Log &log);

/// Builds the motion and the reference, no more.
void check_time_convergence(ParameterFile &file, Log &log);
} // namespace moreau::app

#endif
