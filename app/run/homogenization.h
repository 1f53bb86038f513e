// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_APP_RUN_HOMOGENIZATION_H
#define MOREAU_APP_RUN_HOMOGENIZATION_H

#include "app/run/run.h"

namespace moreau::app
{
/// `Problem = homogenization`: φ_n(U) against the macroscopic projection over
/// a sequence of radii (BM, §5), with all files of the run.
/// Throws InputError.
std::unique_ptr<Run> homogenization_study(ParameterFile &file, Log &log);
} // namespace moreau::app

#endif
