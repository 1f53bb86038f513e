// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_APP_OUTPUT_CONTACT_PLOTS_H
#define MOREAU_APP_OUTPUT_CONTACT_PLOTS_H

#include "app/output/log.h"
#include "app/output/output_directory.h"
#include "app/input/parameters.h"
#include "geometry/progress.h"
#include "micro/contact_statistics.h"
#include "micro/impact_sequence.h"
#include "micro/motion/sphere_motion.h"

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

/// What Plots/Contacts asks for: the distribution of p and the polar diagram of contacts (doc/formats.md).
namespace moreau::app
{
/// Between two spheres of one impact: p above `least` (kg m/s).
std::vector<micro::PressedContact> pressed_contacts(const micro::ContactGraph &graph, const micro::Vector &p, double least);

/// Of the last step, with forces p/h (N).
std::vector<micro::PressedContact> pressed_contacts(const micro::SphereMotion &motion);

/// contact_forces.csv and contact_directions.csv: rows of an instant.
extern const char *const force_header, *const direction_header;
std::vector<std::string> force_rows(const micro::ContactStatistics &statistics, double time);
std::vector<std::string> direction_rows(const micro::ContactStatistics &statistics, double time);

/// `contact_statistics` of summary.json.
nlohmann::ordered_json statistics_as_json(const micro::ContactStatistics &statistics);

/// Writes both tables of one impact.
void write_contact_tables(const OutputDirectory &output, const micro::ContactStatistics &statistics);

/// Draws contact_forces.png and, but on a line, contact_directions.png, whose scripts read the tables above. Where there is
/// nothing to draw, or no gnuplot, the log says so. quantity: "p" or "force"; progress: of the formats of both.
void draw_contacts(const ParameterFile &file, const OutputDirectory &output, const micro::ContactStatistics &statistics,
                   const std::string &quantity, double time, Log &log, const geometry::Progress &progress);
} // namespace moreau::app

#endif
