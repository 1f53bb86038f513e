// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_APP_RUN_DISTRIBUTED_STATE_H
#define MOREAU_APP_RUN_DISTRIBUTED_STATE_H

#include "convex/named_arrays.h"
#include "geometry/processes.h"

#include <functional>

namespace moreau::app
{
/// On the first process the arrays of all, each under "PROCESS/NAME"; empty on others. All call it.
convex::NamedArrays gathered(const convex::NamedArrays &mine, const macro::Processes &processes);

/// Runs f on all processes. Where it throws InputError on some, all throw the one of the first of these: then none waits for
/// another, and one sentence is said. f itself does not wait for other processes.
void together(const macro::Processes &processes, const std::function<void()> &f);

/// Those of one process out of gathered().
convex::NamedArrays share_of(const convex::NamedArrays &all, int process);
} // namespace moreau::app

#endif
