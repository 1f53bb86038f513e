// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_APP_RUN_CONTACT_CONE_H
#define MOREAU_APP_RUN_CONTACT_CONE_H

#include "app/run/run.h"

namespace moreau::app
{
/// `Problem = contact cone`: which mean velocity gradients the contacts of a periodic packing let pass, with all files of
/// the run. Throws InputError.
std::unique_ptr<Run> contact_cone(ParameterFile &file, Log &log);
} // namespace moreau::app

#endif
