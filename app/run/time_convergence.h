// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_APP_RUN_TIME_CONVERGENCE_H
#define MOREAU_APP_RUN_TIME_CONVERGENCE_H

#include "app/run/run.h"

namespace moreau::app
{
/// `Problem = time convergence`: a motion for a list of steps h against an
/// exact or the finest one; errors, orders, plot. Throws InputError.
std::unique_ptr<Run> time_convergence(ParameterFile &file, Log &log);
} // namespace moreau::app

#endif
