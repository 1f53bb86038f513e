// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_APP_SWEEP_LISTS_H
#define MOREAU_APP_SWEEP_LISTS_H

#include "app/input/command_line.h"

namespace moreau::app
{
/// `Cone/Type = square, triangular, isotropic` of 'macro impact', in the file or by --set, is a sweep over the cones: the
/// options with it, as they are where there is no list. What cannot be read, or only once, has none.
CommandLine with_lists_as_sweeps(CommandLine options);
} // namespace moreau::app

#endif
