// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/output/study_tables.h"

#include "app/output/summary.h"
#include "app/output/table_text.h"
#include "app/input/text/words.h"
#include "convex/vectors.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <ostream>

namespace moreau::app
{
namespace
{
using homogenization::Comparison;
using homogenization::Level;
using homogenization::Reference;

double seconds(const Level &level)
{
  return level.seconds_cells + level.seconds_transfer + level.effort.seconds + level.seconds_comparison;
}

bool has_interpolant(const Level &level) { return level.comparisons.front().interpolant.value > 0.; }

double known(const bool is_known, const double x) { return is_known ? x : std::numeric_limits<double>::quiet_NaN(); }

/// Of distances, what the error of their reference may be for them to tell an order: less where radii are nearer than a
/// factor of two, for which errors move orders the more. refined: ln of the largest radius over the smallest.
double share_that_tells(const double refined) { return share_of_distance * std::min(1., refined / M_LN2); }

/// Of the order since the level before.
bool tells_order(const Reference &reference, const homogenization::Distance &distance, const Level &level)
{
  return !(reference.error > share_that_tells(level.refined) * distance.value);
}

/// The first of those which tell the observed order.
Levels::const_iterator first_in_order(const Levels &levels)
{
  return levels.end() - static_cast<std::ptrdiff_t>(homogenization::n_in_order(levels.size()));
}

double share_that_tells(const Levels &levels)
{
  return share_that_tells(std::log(first_in_order(levels)->radius / levels.back().radius));
}

/// "0.98", "(0.67)" where it is not known, "-" where there is none.
std::string order_text(const double order, const bool is_known)
{
  const std::string text = cell(order, 0, "%.2f").substr(1);
  return is_known || !std::isfinite(order) ? text : "(" + text + ")";
}

/// Columns for three cones leave no room for them in a line of 120 letters; they are in convergence.csv.
bool has_contacts(const References &references) { return references.size() < 3; }

int width_of(const Reference &reference, const References &references)
{
  return references.size() == 1 ? 12 : std::max(12, static_cast<int>(reference.name.size()) + 2);
}
} // namespace

std::string column(const Reference &reference)
{
  std::string name = reference.name;
  std::replace(name.begin(), name.end(), ' ', '_');
  std::replace(name.begin(), name.end(), '-', '_');
  std::replace(name.begin(), name.end(), '.', '_');
  return name;
}

bool tells_order(const Levels &levels, const References &references, const std::size_t k)
{
  const double share = share_that_tells(levels);
  return std::none_of(first_in_order(levels), levels.end(),
                      [&](const Level &level) { return references[k].error > share * level.comparisons[k].error.value; });
}

double observed_order(const Levels &levels, const References &references, const std::size_t k)
{
  return known(tells_order(levels, references, k), homogenization::observed_order(levels, k));
}

std::string sentence_on_order(const Levels &levels, const References &references, const std::size_t k, const double cells)
{
  if (levels.size() < 2 || tells_order(levels, references, k) || !references[k].fields) // of a closed form the log says it
    return "";
  constexpr double of_scale = 1e-9;
  double           smallest = std::numeric_limits<double>::infinity();
  for (const Level &level : levels)
    {
      const homogenization::Distance &distance = level.comparisons[k].error;
      if (!(distance.value > std::max(distance.error, of_scale * level.scale)) ||
          homogenization::is_rounding(distance.value, level))
        return ""; // 0 as far as quadrature tells: there is no order to doubt
      smallest = std::min(smallest, distance.value);
    }
  const double      share = share_that_tells(levels);
  const std::string start = "The order on the " + references[k].name + " cone may be that of its mesh, whose error bound " +
                            short_number(references[k].error) + " is above " +
                            (share == share_of_distance ? "a quarter" : short_number(share)) +
                            " of the smallest distance, " + short_number(smallest) +
                            (share == share_of_distance ? "" : ", with radii as near as these");
  if (!std::isfinite(references[k].error))
    return start + ".";
  const double ratio = references[k].error / (share * smallest); // the bound falls like h, across jumps like its root
  return start + ": 'Mesh/Cells per unit length' = " + short_number(rounded_up(cells * ratio)) +
         " would do where u is smooth, up to " + short_number(rounded_up(cells * ratio * ratio)) + " where it jumps.";
}

std::vector<std::string> errors_header(const References &references)
{
  std::string first = cell("spheres", 9) + cell("radius", 12) + (has_contacts(references) ? cell("contacts", 10) : "");
  for (const Reference &reference : references)
    first += cell(references.size() > 1 ? reference.name : "|v-u|", width_of(reference, references)) + cell("order", 7) +
             (&reference == &references.front() ? cell("P1", 12) + cell("order", 7) : "");
  first += cell("micro bound", 13) + cell("seconds", 10);
  std::vector<std::string> lines;
  if (references.size() > 1)
    {
      lines.push_back("  |v-u| for the u of each cone, P1: of the first; orders in brackets may be those of the mesh of u");
    }
  lines.push_back(first);
  return lines;
}

std::vector<std::string> errors_row(const Level &level, const References &references)
{
  std::string line = cell(std::to_string(level.n_spheres), 9) + cell(level.radius, 12, "%.5g") +
                     (has_contacts(references) ? cell(std::to_string(level.n_contacts), 10) : "");
  for (std::size_t k = 0; k < references.size(); ++k)
    {
      const Comparison &comparison = level.comparisons[k];
      line += cell(comparison.error.value, width_of(references[k], references)) +
              cell(order_text(comparison.order, tells_order(references[k], comparison.error, level)), 7);
      if (k == 0)
        line += cell(known(has_interpolant(level), comparison.interpolant.value), 12) +
                cell(order_text(comparison.order_interpolant, tells_order(references[k], comparison.interpolant, level)), 7);
    }
  line += cell(level.micro_bound, 13, level.certificate.guaranteed ? "%.3e" : "~%.3e") + cell(seconds(level), 10, "%.2f");
  std::vector<std::string> lines = {line};
  if (!level.effort.converged())
    lines.push_back("    this level is not converged (" + convex::name(level.effort.status) +
                    "): its bound is above the tolerance");
  return lines;
}

std::vector<std::string> conditions_table(const Levels &levels)
{
  if (!(levels.front().falk.bound > 0.))
    return {};
  std::vector<std::string> lines = {
      "Falk's estimate |u-v|^2 <= |u-f|^2 + 2|u-U|(|u-f| + |g-v|), f in C_n near the cell means of u, g in C_rho near v:",
      cell("spheres", 9) + cell("|u-v|", 12) + cell("its bound", 12) + cell("|u-u_int|", 12) + cell("violation", 12) +
          cell("inside", 12) + cell("|u-f|", 12) + cell("|g-v|", 12)};
  for (const Level &level : levels)
    {
      const homogenization::FalkEstimate &falk = level.falk;
      lines.push_back(cell(std::to_string(level.n_spheres), 9) + cell(level.comparisons.front().error.value, 12) +
                      cell(known(falk.nonconformity_known, falk.bound), 12) + cell(falk.interpolation, 12) +
                      cell(falk.violation, 12) + cell(falk.violation_inside, 12) + cell(falk.consistency, 12) +
                      cell(known(falk.nonconformity_known, falk.nonconformity), 12));
    }
  return lines;
}

std::string sentence_on_hidden(const Level &level, const double hidden)
{
  constexpr double noticeable = .25; // tips of curved jumps are less, and are looked for by the rules themselves
  if (!std::isfinite(hidden) || !(hidden > noticeable * level.norm_U))
    return "";
  return "U may have bands or peaks between the points at which spheres of the radius " + short_number(level.radius) +
         " m see it, up to " + short_number(hidden) + " where |U| = " + short_number(level.norm_U) +
         ": distances, norms and momentum do not know of them; take smaller spheres.";
}

std::size_t nearest_reference(const Level &level)
{
  return std::min_element(level.comparisons.begin(), level.comparisons.end(),
                          [](const Comparison &a, const Comparison &b) { return a.error.value < b.error.value; }) -
         level.comparisons.begin();
}

bool has_nearest(const Level &level)
{
  const double smallest = level.comparisons[nearest_reference(level)].error.value;
  return std::count_if(level.comparisons.begin(), level.comparisons.end(),
                       [&](const Comparison &comparison) { return comparison.error.value == smallest; }) == 1;
}

bool nearest_is_certain(const Level &level)
{
  const std::size_t best = nearest_reference(level);
  for (std::size_t k = 0; k < level.comparisons.size(); ++k)
    if (k != best && !(level.comparisons[best].upper < level.comparisons[k].lower))
      return false;
  return true;
}

std::vector<std::string> conclusions(const Levels &levels, const References &references)
{
  std::vector<std::string> lines;
  const auto               row = [&](const std::string &name, const std::string &text) {
    lines.push_back(name + std::string(name.size() < 22 ? 22 - name.size() : 1, ' ') + text);
  };
  const Level &finest = levels.back();
  for (std::size_t k = 0; k < references.size(); ++k)
    {
      const Comparison &comparison = finest.comparisons[k];
      const double      order      = homogenization::observed_order(levels, k);
      std::string       text       = "|v-u| = " + short_number(comparison.error.value) +
                         (std::isfinite(comparison.relative) ? ", " + short_number(comparison.relative) + " of |U - mean U|"
                                                             : ", U is uniform as far as points of quadrature tell");
      if (std::isfinite(order))
        text += ", observed order " + order_text(order, tells_order(levels, references, k));
      row(references[k].name, text);
      if (std::isfinite(references[k].error))
        row("", "the distance to the exact u lies in [" + short_number(comparison.lower) + ", " +
                    short_number(comparison.upper) + "]" +
                    (references[k].guaranteed && finest.certificate.guaranteed ? ", guaranteed" : ", an estimate") +
                    " up to quadrature");
    }
  if (std::isfinite(finest.direct_bound))
    row("without a mesh", "|v-u| <= " + short_number(finest.direct_bound) +
                              ", guaranteed up to quadrature: v and its pressures are admissible");
  if (references.size() > 1)
    {
      std::vector<double> errors;
      for (const Comparison &comparison : finest.comparisons)
        errors.push_back(comparison.error.value);
      const std::size_t best = nearest_reference(finest);
      std::sort(errors.begin(), errors.end());
      if (!has_nearest(finest))
        row("nearest", "two are as near: their u is the same");
      else
        row("nearest", references[best].name + ", " + short_number(errors[1] / errors[0]) + " times as near as the next" +
                           (nearest_is_certain(finest) ? "" : ", by meshes whose errors are larger than that tells"));
    }
  row("momentum before", point(finest.momentum_before) + " kg m/s per unit of density, of " +
                             (finest.of_fluctuations ? "U less D x" : "U") + " on the cells");
  row("momentum after", point(finest.momentum_after));
  row("momentum", "|∫v - ∫U| is " + short_number(finest.momentum_defect) + " of |ω|^{1/2} " +
                      (finest.of_fluctuations ? "times the larger of |U - D x| and |U - mean U|" : "|U|"));
  if (const double cost = homogenization::observed_cost(levels); std::isfinite(cost))
    row("cost", "seconds grow like the number of spheres to the power " + cell(cost, 0, "%.2f").substr(1));
  return lines;
}

std::string scale_of_micro_bound(const Level &level)
{
  return level.of_fluctuations ? " of the larger of |Ũ - mean Ũ|, without D x, and what D asks of contacts"
                               : " of |U - mean U|";
}

void write_convergence(std::ostream &out, const Levels &levels, const References &references)
{
  std::vector<std::vector<Column>> rows;
  for (const Level &level : levels)
    {
      const Comparison                   &first = level.comparisons.front();
      const homogenization::FalkEstimate &falk  = level.falk;
      const bool                          asked = falk.bound > 0., falk_known = asked && falk.nonconformity_known;
      std::vector<Column>                 row = {
                          {"spheres", static_cast<double>(level.n_spheres)},
                          {"radius", level.radius},
                          {"contacts", static_cast<double>(level.n_contacts)},
                          {"error", first.error.value},
                          {"relative_error", first.relative},
                          {"order", known(tells_order(references.front(), first.error, level), first.order)},
                          {"error_lower", first.lower},
                          {"error_upper", first.upper},
                          {"quadrature_error", first.error.error},
                          {"p1_error", known(has_interpolant(level), first.interpolant.value)},
                          {"p1_order", known(tells_order(references.front(), first.interpolant, level), first.order_interpolant)},
                          {"relative_error_bound", level.certificate.relative_error_bound},
                          {"micro_bound", level.micro_bound},
                          {"guaranteed", level.certificate.guaranteed ? 1. : 0.},
                          {"direct_bound", level.direct_bound},
                          {"falk_bound", known(falk_known, falk.bound)},
                          {"interpolation", known(asked, falk.interpolation)},
                          {"interpolant_violation", known(asked, falk.violation)},
                          {"interpolant_violation_inside", known(asked, falk.violation_inside)},
                          {"consistency", known(asked, falk.consistency)},
                          {"nonconformity", known(falk_known, falk.nonconformity)},
                          {"face_violation", level.face_violation},
                          {"shifted_violation", level.shifted_violation},
                          {"norm_U", level.norm_U},
                          {"norm_U_tilde", level.norm_U_tilde},
                          {"norm_v", level.norm_v},
                          {"dissipated_fraction", level.dissipated_fraction},
                          {"defect", first.defect}};
      for (std::size_t k = 1; k < references.size(); ++k)
        {
          const Comparison &other = level.comparisons[k];
          const std::string name  = column(references[k]);
          row.push_back({"error_" + name, other.error.value});
          row.push_back({"order_" + name, known(tells_order(references[k], other.error, level), other.order)});
          row.push_back({"error_" + name + "_lower", other.lower});
          row.push_back({"error_" + name + "_upper", other.upper});
          row.push_back({"defect_" + name, other.defect});
        }
      rows.push_back(std::move(row));
    }
  write_table(out, rows);
}

void write_statistics(std::ostream &out, const Levels &levels)
{
  std::vector<std::vector<Column>> rows;
  for (std::size_t k = 0; k < levels.size(); ++k)
    {
      const Level &level = levels[k];
      rows.push_back({{"level", static_cast<double>(k)},
                      {"spheres", static_cast<double>(level.n_spheres)},
                      {"contacts", static_cast<double>(level.n_contacts)},
                      {"cut_cells", static_cast<double>(level.n_cut)},
                      {"iterations", static_cast<double>(level.effort.n_iterations)},
                      {"relative_error_bound", level.certificate.relative_error_bound},
                      {"guaranteed", level.certificate.guaranteed ? 1. : 0.},
                      {"natural_residual", level.certificate.natural_residual},
                      {"restriction_error", level.restriction_error},
                      {"zone_volume", level.zone_volume},
                      {"zone_volume_error", level.volume_error},
                      {"momentum_defect", level.momentum_defect},
                      {"seconds_cells", level.seconds_cells},
                      {"seconds_transfer", level.seconds_transfer},
                      {"seconds_solve", level.effort.seconds},
                      {"seconds_comparison", level.seconds_comparison}});
    }
  write_table(out, rows);
}

void add_by_reference(nlohmann::ordered_json &json, const Level &level)
{
  for (const char *const key : {"distances", "coarse_errors", "defects"})
    json[key] = nlohmann::ordered_json::array();
  for (const Comparison &comparison : level.comparisons)
    {
      json["distances"].push_back(number(comparison.error.value));
      json["coarse_errors"].push_back(nlohmann::ordered_json::array());
      for (const double distance : comparison.coarse)
        json["coarse_errors"].back().push_back(number(distance));
      json["defects"].push_back(number(comparison.defect));
    }
}

nlohmann::ordered_json to_json(const Level &level, const References &references)
{
  const Comparison      &first = level.comparisons.front();
  nlohmann::ordered_json json  = {{"spheres", level.n_spheres},
                                  {"radius", number(level.radius)},
                                  {"contacts", level.n_contacts},
                                  {"error", number(first.error.value)},
                                  {"relative_error", number(first.relative)},
                                  {"order", number(known(tells_order(references.front(), first.error, level), first.order))},
                                  {"relative_error_bound", number(level.certificate.relative_error_bound)},
                                  {"guaranteed", level.certificate.guaranteed},
                                  {"status", convex::name(level.effort.status)},
                                  {"method", level.method},
                                  {"iterations", level.effort.n_iterations},
                                  {"error_interval", {number(first.lower), number(first.upper)}},
                                  {"direct_bound", number(level.direct_bound)},
                                  {"p1_error", number(known(has_interpolant(level), first.interpolant.value))},
                                  {"face_violation", number(level.face_violation)},
                                  {"shifted_violation", number(level.shifted_violation)},
                                  {"of_fluctuations", level.of_fluctuations},
                                  {"norm_U", number(level.norm_U)},
                                  {"norm_U_tilde", number(level.norm_U_tilde)},
                                  {"norm_v", number(level.norm_v)},
                                  {"dissipated_fraction", number(level.dissipated_fraction)},
                                  {"momentum_before", convex::values(level.momentum_before)},
                                  {"momentum_after", convex::values(level.momentum_after)},
                                  {"momentum_defect", number(level.momentum_defect)},
                                  {"zone_volume", number(level.zone_volume)},
                                  {"wall_time_s", number(seconds(level))}};
  if (level.falk.bound > 0.)
    json["falk"] = {{"bound", number(known(level.falk.nonconformity_known, level.falk.bound))},
                    {"interpolation", number(level.falk.interpolation)},
                    {"interpolant_violation", number(level.falk.violation)},
                    {"interpolant_violation_inside", number(level.falk.violation_inside)},
                    {"consistency", number(level.falk.consistency)},
                    {"nonconformity", number(known(level.falk.nonconformity_known, level.falk.nonconformity))}};
  json["errors"] = nlohmann::ordered_json::object();
  for (std::size_t k = 0; k < references.size(); ++k)
    json["errors"][references[k].name] = number(level.comparisons[k].error.value);
  add_by_reference(json, level);
  return json;
}

std::string unit_of_distance(const unsigned int dimension)
{
  static const std::array<std::string, 3> units = {"m^(3/2)/s", "m²/s", "m^(5/2)/s"};
  return units.at(dimension - 1);
}

Plot convergence_plot(const std::string &title, const unsigned int dimension, const References &references)
{
  Plot       plot{"convergence",
            {{"title", title},
                   {"size", "radius"},
                   {"x_label", "radius [m]"},
                   {"y_label", "distance in L² [" + unit_of_distance(dimension) + "]"},
                   {"bars", "bars: intervals that hold |v - u|"}},
            {}};
  const auto add_distance = [&](const Reference &reference, const std::string &column) {
    plot.add_curve("|v - u|, " + reference.name, column, false, 0, /*with_interval=*/true);
  };
  const std::string of_first = references.size() > 1 ? ", " + references.front().name : "";
  add_distance(references.front(), "error");
  plot.add_curve("Falk's bound" + of_first, "falk_bound", true);
  plot.add_curve("|U - its cell means|", "direct_bound", true);
  plot.add_curve("|P1 v - u|" + of_first, "p1_error");
  for (std::size_t k = 1; k < references.size(); ++k)
    add_distance(references[k], "error_" + column(references[k]));
  return plot;
}

Plot cost_plot(const std::string &title)
{
  Plot plot{"convergence",
            {{"title", title + ": what a level takes"}, {"size", "spheres"}, {"x_label", "spheres"}, {"y_label", "seconds"}},
            {}};
  plot.add_curve("microscopic projection", "seconds_solve");
  plot.add_curve("Voronoi cells", "seconds_cells");
  plot.add_curve("means over Voronoi cells", "seconds_transfer");
  plot.add_curve("comparison with the continuum", "seconds_comparison");
  return plot;
}
} // namespace moreau::app
