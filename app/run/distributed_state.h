// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_APP_RUN_DISTRIBUTED_STATE_H
#define MOREAU_APP_RUN_DISTRIBUTED_STATE_H

#include "convex/named_arrays.h"
#include "geometry/processes.h"

namespace moreau::app
{
/// On the first process the arrays of all, each under "PROCESS/NAME"; empty on others. All call it.
convex::NamedArrays gathered(const convex::NamedArrays &mine, const geometry::Processes &processes);

/// Those of one process out of gathered().
convex::NamedArrays share_of(const convex::NamedArrays &all, int process);
} // namespace moreau::app

#endif
