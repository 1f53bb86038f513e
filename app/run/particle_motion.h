// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_APP_RUN_PARTICLE_MOTION_H
#define MOREAU_APP_RUN_PARTICLE_MOTION_H

#include "app/run/run.h"

namespace moreau::app
{
/// `Problem = particle motion`: spheres or a mechanical system in time, with all files of the run.
/// resume: goes on from the checkpoint in the output directory. Throws InputError.
ExitStatus particle_motion(ParameterFile &file, Log &log, bool resume);

/// Builds the motion and evaluates the fields, no more.
void check_particle_motion(ParameterFile &file, Log &log);
} // namespace moreau::app

#endif
