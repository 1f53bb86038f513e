// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_APP_INPUT_FLOW_SETTING_H
#define MOREAU_APP_INPUT_FLOW_SETTING_H

#include "app/input/parameters.h"
#include "macro/flow/congested_flow.h"

namespace moreau::app
{
/// The flow that a parameter file describes, its part that belongs to this process. The name of a file is written back to
/// `file`, so that its print-out repeats the run. Throws InputError: for densities outside [0, ρ̄], saying where, and
/// where there is no matter at all.
macro::FlowSetting flow_setting(ParameterFile &file, const geometry::Processes &processes,
                                const geometry::Progress &progress = {});
} // namespace moreau::app

#endif
