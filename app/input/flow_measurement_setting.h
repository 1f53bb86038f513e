// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_APP_INPUT_FLOW_MEASUREMENT_SETTING_H
#define MOREAU_APP_INPUT_FLOW_MEASUREMENT_SETTING_H

#include "macro/flow/flow_measurements.h"

namespace moreau::app
{
struct Parameters;

/// What the section Measurements asks of a flow. All processes call it. Throws InputError for what cannot be understood.
macro::FlowMeasurementPlan flow_measurement_plan(const Parameters &parameters, const macro::FlowSetting &setting);
} // namespace moreau::app

#endif
