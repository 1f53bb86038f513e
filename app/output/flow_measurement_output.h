// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_APP_OUTPUT_FLOW_MEASUREMENT_OUTPUT_H
#define MOREAU_APP_OUTPUT_FLOW_MEASUREMENT_OUTPUT_H

#include "app/output/record.h"
#include "macro/flow/flow_measurements.h"

#include <string>

/// How measurements of a flow become columns, keys and a table, as those of motions do (doc/formats.md).
namespace moreau::app
{
/// Adds the columns of the last step, of length h, and their keys in summary.json.
void add_columns(Record &record, const macro::FlowMeasurements &measured, int dim, double time, double h);

/// measurements.csv: a row per interval between pictures.
std::string interval_header(const macro::FlowMeasurements &measured, int dim);
std::string interval_row(const macro::FlowMeasurements &measured, double time);
} // namespace moreau::app

#endif
