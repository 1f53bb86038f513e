// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_APP_RUN_DISORDER_H
#define MOREAU_APP_RUN_DISORDER_H

#include "app/run/run.h"

#include <memory>

namespace moreau::app
{
/// `homogenization` of samples, Parameters::is_disorder(): several packings of each size and several contact tolerances are
/// compared with the same macroscopic projections. Throws InputError.
std::unique_ptr<Run> disorder_study(ParameterFile &file, Log &log);
} // namespace moreau::app

#endif
