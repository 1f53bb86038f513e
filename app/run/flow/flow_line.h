// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_APP_RUN_FLOW_FLOW_LINE_H
#define MOREAU_APP_RUN_FLOW_FLOW_LINE_H

#include "app/output/flow_output.h"
#include "app/output/output_directory.h"
#include "app/run/evolution.h"
#include "macro/flow/congested_flow.h"
#include "macro/line/mass_coordinate.h"

#include <nlohmann/json.hpp>

/// Congested flows in one dimension by other methods than finite volumes.
namespace moreau::app
{
/// By the other methods of `Congested flow/Method`: `exact blocks`, `splitting`. Throws InputError.
std::unique_ptr<Evolution> flow_on_line(ParameterFile &file, Log &log);

/// What the cells hold, in one dimension.
macro::Parcels parcels_of(const macro::CongestedFlow &flow);

/// Throws InputError where compare_on_line() would; nothing where there is nothing to compare with.
void check_comparison(ParameterFile &file);

struct LineComparison
{
  nlohmann::ordered_json json;  ///< what summary.json says as "comparison"
  ExactProfile           exact; ///< in the cells of the flow, at its time
};

/// What `Congested flow/Compare with` names, computed from the same initial data until the time of `flow`, compared with it:
/// comparison.csv in `output`. Throws InputError.
LineComparison compare_on_line(ParameterFile &file, const macro::CongestedFlow &flow, const OutputDirectory &output,
                               Log &log);
} // namespace moreau::app

#endif
