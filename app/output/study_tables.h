// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_APP_OUTPUT_STUDY_TABLES_H
#define MOREAU_APP_OUTPUT_STUDY_TABLES_H

#include "app/output/plot.h"
#include "homogenization/convergence_study.h"

#include <nlohmann/json_fwd.hpp>

#include <iosfwd>
#include <string>
#include <vector>

/// What `homogenization` says of its levels: on the terminal, in tables and in the plot. Orders of levels are set.
namespace moreau::app
{
using Levels     = std::vector<homogenization::Level>;
using References = std::vector<homogenization::Reference>;

/// Lines above and of the table of errors, the second one per level as it is computed.
std::vector<std::string> errors_header(const References &references);
std::vector<std::string> errors_row(const homogenization::Level &level, const References &references);

/// Falk's estimate and its ingredients, level by level; empty where they were not asked for.
std::vector<std::string> conditions_table(const Levels &levels);

/// Observed orders and cost, how far the distances are guaranteed, and which cone is nearest.
std::string              scale_of_micro_bound(const homogenization::Level &level); ///< " of |U - mean U|", for the log
std::vector<std::string> conclusions(const Levels &levels, const References &references);

/// Of a distance, what the error of its reference may be where radii are halved.
constexpr double share_of_distance = .25;

/// Whether the reference is fine enough for the order of its distances on these levels: its own error is below a quarter of
/// the smallest, below less of it where radii differ by less than a factor of two. Else the order may be that of its mesh:
/// it stands in brackets, and as null in files.
bool tells_order(const Levels &levels, const References &references, std::size_t k);

/// homogenization::observed_order(), NaN where the reference does not tell it.
double observed_order(const Levels &levels, const References &references, std::size_t k = 0);

/// One sentence on a reference that does not tell an order, with the mesh that would; empty where it does.
///   cells  per unit length, of its mesh
std::string sentence_on_order(const Levels &levels, const References &references, std::size_t k, double cells);

/// One sentence on what a level may not see of U, homogenization::hidden_velocity(); empty where that is little beside U.
std::string sentence_on_hidden(const homogenization::Level &level, double hidden);

/// The reference with the smallest error.
std::size_t nearest_reference(const homogenization::Level &level);

/// Whether there is one: not where two are as near, as all that let U pass are.
bool has_nearest(const homogenization::Level &level);

/// Whether its interval of the distance lies below those of all others: else finer meshes may make another one the nearest.
bool nearest_is_certain(const homogenization::Level &level);

/// convergence.csv: errors, orders, bounds and conditions, a row per level.
void write_convergence(std::ostream &out, const Levels &levels, const References &references);

/// statistics.csv: sizes, solver and seconds, a row per level.
void write_statistics(std::ostream &out, const Levels &levels);

/// An entry of `levels` in summary.json.
nlohmann::ordered_json to_json(const homogenization::Level &level, const References &references);

/// Lists in the order of the references: `distances`, `coarse_errors` (a list over the windows each), `defects`.
void add_by_reference(nlohmann::ordered_json &json, const homogenization::Level &level);

/// Of a reference, for names of columns: "dilatant_0_3".
std::string column(const homogenization::Reference &reference);

/// Of velocities in L²(ω).
std::string unit_of_distance(unsigned int dimension);

/// Of convergence.csv.
Plot convergence_plot(const std::string &title, unsigned int dimension, const References &references);

/// Of statistics.csv: seconds over the number of spheres.
Plot cost_plot(const std::string &title);
} // namespace moreau::app

#endif
