// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_APP_OUTPUT_TIME_CONVERGENCE_TABLES_H
#define MOREAU_APP_OUTPUT_TIME_CONVERGENCE_TABLES_H

#include "app/output/plot.h"
#include "app/output/time_levels.h"

#include <nlohmann/json_fwd.hpp>

#include <iosfwd>
#include <string>
#include <vector>

/// What `time convergence` says of its levels: on the terminal, in tables and in the plot. Orders of levels are set.
namespace moreau::app
{
/// Lines above and of the table of errors.
std::vector<std::string> errors_header();
std::string              errors_row(const TimeLevel &level);

/// Observed orders; which steps tend to which motion where there are two.
/// reference_h: of a reference by the same scheme, 0 for others.
std::vector<std::string> conclusions(const std::vector<TimeLevel> &levels, double reference_h);

/// "h = 0.1, 0.05 s tend to one motion, h = 0.07, 0.03 s to another, 0.3 m
/// away", as one sentence; empty where all tend to one.
std::string sentence_on_two_limits(const std::vector<TimeLevel> &levels, double distance, const std::string &unit);

/// convergence.csv: errors, distances and orders, a row per level.
void write_convergence(std::ostream &out, const std::vector<TimeLevel> &levels);

/// statistics.csv: what the steps of a level did, a row per level.
void write_statistics(std::ostream &out, const std::vector<TimeLevel> &levels);

/// An entry of `levels` in summary.json.
nlohmann::ordered_json to_json(const TimeLevel &level);

/// Of convergence.csv. unit: of all coordinates, "m".
Plot convergence_plot(const std::string &title, bool has_two_limits, const std::string &unit);
} // namespace moreau::app

#endif
