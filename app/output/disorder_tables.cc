// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/output/disorder_tables.h"

#include "app/input/text/words.h"
#include "app/output/summary.h"
#include "app/output/table_text.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <ostream>

namespace moreau::app
{
Statistics::Statistics(const std::vector<double> &numbers)
{
  const double n = static_cast<double>(numbers.size());
  mean           = std::accumulate(numbers.begin(), numbers.end(), 0.) / n;
  double squares = 0.;
  for (const double x : numbers)
    squares += (x - mean) * (x - mean);
  deviation = numbers.size() > 1 ? std::sqrt(squares / (n - 1.)) : std::numeric_limits<double>::quiet_NaN();
}

namespace
{
using homogenization::Reference;

/// Samples of one size with one tolerance.
using Group = std::vector<const DisorderSample *>;

/// Tolerance after tolerance, and of each size after size.
std::vector<Group> groups_of(const DisorderSamples &samples)
{
  std::vector<const DisorderSample *> sorted;
  for (const DisorderSample &sample : samples)
    sorted.push_back(&sample);
  const auto place = [](const DisorderSample *sample) { return std::pair(sample->tolerance_number, sample->size); };
  std::stable_sort(sorted.begin(), sorted.end(), [&](const auto *a, const auto *b) { return place(a) < place(b); });
  std::vector<Group> groups;
  for (const DisorderSample *const sample : sorted)
    if (groups.empty() || place(groups.back().front()) != place(sample))
      groups.push_back({sample});
    else
      groups.back().push_back(sample);
  return groups;
}

Statistics over(const Group &group, const std::function<double(const DisorderSample &)> &number)
{
  std::vector<double> numbers;
  for (const DisorderSample *const sample : group)
    numbers.push_back(number(*sample));
  return Statistics(numbers);
}

Statistics distance(const Group &group, const std::size_t k)
{
  return over(group, [k](const DisorderSample &sample) { return sample.level.comparisons[k].error.value; });
}

double mean_spacing(const Group &group)
{
  return over(group, [](const DisorderSample &sample) { return sample.spacing; }).mean;
}

double mean_spheres(const Group &group)
{
  return over(group, [](const DisorderSample &s) { return static_cast<double>(s.level.n_spheres); }).mean;
}

std::string with_deviation(const Statistics &statistics)
{
  const auto text = [](const double x) {
    const std::string padded = cell(x, 0, "%.4f");
    return padded.substr(padded.find_first_not_of(' '));
  };
  return text(statistics.mean) + (std::isfinite(statistics.deviation) ? " ± " + text(statistics.deviation) : "");
}

/// A text with ± in a column: the sign has two bytes.
std::string wide_cell(const std::string &text, const int width)
{
  return cell(text, width + (text.find("±") == std::string::npos ? 0 : 1));
}

/// The order in the spacing of the mean distances to reference k in the series of this tolerance; NaN with one size.
double order_of(const std::vector<Group> &groups, const std::size_t tolerance, const std::size_t k)
{
  std::vector<double> sizes, errors;
  for (const Group &group : groups)
    if (group.front()->tolerance_number == tolerance)
      {
        sizes.push_back(mean_spacing(group));
        errors.push_back(distance(group, k).mean);
      }
  return homogenization::observed_order(sizes, errors);
}

nlohmann::ordered_json json_of(const Statistics &statistics)
{
  return {{"mean", number(statistics.mean)}, {"deviation", number(statistics.deviation)}};
}

int sample_width(const Reference &reference) { return std::max(12, static_cast<int>(reference.name.size()) + 2); }
} // namespace

std::vector<std::string> samples_header(const References &references, const bool with_fit, const bool with_network)
{
  std::string line = cell("spheres", 9) + cell("seed", 7) + cell("tolerance", 11) + cell("z", 8) + cell("dissipated", 12);
  for (const auto &reference : references)
    line += cell(reference.name, sample_width(reference));
  return {"  |v-u| for the u of each cone; z: contacts per sphere that is no rattler, in the closed box; dissipated: 1 - "
          "|v|²/|Ũ|²" +
              std::string(with_network ? "; network s: of the contacts alone, in the closed box" : ""),
          line + (with_fit ? cell("best s", 9) + cell("|v-u_s|", 11) : "") + (with_network ? cell("network s", 11) : "") +
              cell("seconds", 10)};
}

std::string samples_row(const DisorderSample &sample, const References &references)
{
  std::string line = cell(std::to_string(sample.level.n_spheres), 9) +
                     cell(sample.seed ? std::to_string(*sample.seed) : "-", 7) + cell(sample.tolerance, 11, "%.3g") +
                     cell(sample.coordination, 8, "%.3f") + cell(sample.level.dissipated_fraction, 12, "%.4f");
  for (std::size_t k = 0; k < references.size(); ++k)
    line += cell(sample.level.comparisons[k].error.value, sample_width(references[k]), "%.4f");
  if (sample.fit)
    line += cell(sample.fit->s, 9, "%.3f") + cell(sample.fit->distance, 11, "%.4f");
  if (sample.network)
    line += cell(sample.network->s, 11, "%.3f");
  line += cell(sample.level.seconds_cells + sample.level.effort.seconds + sample.level.seconds_comparison, 10, "%.2f");
  return line + (sample.level.effort.converged() ? "" : "  not converged");
}

std::vector<std::string> means_table(const DisorderSamples &samples, const References &references)
{
  const std::vector<Group> groups = groups_of(samples);
  const bool               fitted = samples.front().fit.has_value();
  std::vector<std::string> lines  = {"means ± standard deviations of samples of one size"};
  std::string              header = cell("tolerance", 11) + cell("spheres", 9) + cell("samples", 9) + wide_cell("z", 18);
  for (const auto &reference : references)
    header += cell(reference.name, std::max(18, sample_width(reference)));
  const bool with_network = samples.front().network.has_value();
  lines.push_back(header + (fitted ? cell("best s", 18) : "") + (with_network ? cell("network s", 18) : ""));
  for (const Group &group : groups)
    {
      std::string line = cell(group.front()->tolerance, 11, "%.3g") + cell(mean_spheres(group), 9, "%.0f") +
                         cell(std::to_string(group.size()), 9) +
                         wide_cell(with_deviation(over(group, [](const auto &s) { return s.coordination; })), 18);
      for (std::size_t k = 0; k < references.size(); ++k)
        line += wide_cell(with_deviation(distance(group, k)), std::max(18, sample_width(references[k])));
      if (fitted)
        line += wide_cell(with_deviation(over(group, [](const auto &s) { return s.fit->s; })), 18);
      if (with_network)
        line += wide_cell(with_deviation(over(group, [](const auto &s) { return s.network->s; })), 18);
      lines.push_back(line);
    }
  for (const Group &group : groups)
    if (group.front()->size == 0)
      for (std::size_t k = 0; k < references.size(); ++k)
        if (const double order = order_of(groups, group.front()->tolerance_number, k); std::isfinite(order))
          lines.push_back("  tolerance " + short_number(group.front()->tolerance) + ", " + references[k].name +
                          (order > 0. ? ": the mean distance falls like the spacing to the power " + cell(order, 0, "%.2f")
                                      : ": the mean distance does not fall with the spacing"));
  return lines;
}

namespace
{
/// Of one reference in tables: "" for the first, "_dilatant_0_3" for others.
std::string suffix(const References &references, const std::size_t k) { return k == 0 ? "" : "_" + column(references[k]); }
} // namespace

void write_samples(std::ostream &out, const DisorderSamples &samples, const References &references,
                   const std::vector<int> &windows)
{
  constexpr double                 nothing = std::numeric_limits<double>::quiet_NaN();
  std::vector<std::vector<Column>> rows;
  for (const DisorderSample &sample : samples)
    {
      const homogenization::Level &level = sample.level;
      std::vector<Column>          row   = {{"tolerance", sample.tolerance},
                                            {"spheres", static_cast<double>(level.n_spheres)},
                                            {"seed", sample.seed ? static_cast<double>(*sample.seed) : nothing},
                                            {"spacing", sample.spacing},
                                            {"contacts", static_cast<double>(level.n_contacts)},
                                            {"coordination", sample.coordination},
                                            {"isostatic_coordination", sample.isostatic},
                                            {"relative_error_bound", level.certificate.relative_error_bound},
                                            {"micro_bound", level.micro_bound},
                                            {"guaranteed", level.certificate.guaranteed ? 1. : 0.},
                                            {"norm_U_tilde", level.norm_U_tilde},
                                            {"norm_v", level.norm_v},
                                            {"scale", level.scale},
                                            {"dissipated_fraction", level.dissipated_fraction}};
      for (std::size_t k = 0; k < references.size(); ++k)
        {
          const homogenization::Comparison &comparison = level.comparisons[k];
          row.push_back({"error" + suffix(references, k), comparison.error.value});
          row.push_back({"error" + suffix(references, k) + "_lower", comparison.lower});
          row.push_back({"error" + suffix(references, k) + "_upper", comparison.upper});
          row.push_back({"defect" + suffix(references, k), comparison.defect});
          for (std::size_t w = 0; w < windows.size(); ++w)
            row.push_back({"coarse_" + std::to_string(windows[w]) + suffix(references, k), comparison.coarse(w)});
        }
      if (sample.fit)
        for (const auto &[name, value] :
             {std::pair("dilatancy", sample.fit->s), std::pair("dilatancy_lower", sample.fit->lower),
              std::pair("dilatancy_upper", sample.fit->upper), std::pair("error_of_dilatancy", sample.fit->distance)})
          row.push_back({name, value});
      if (sample.network)
        for (const auto &[name, value] :
             {std::pair("network_dilatancy", sample.network->s), std::pair("network_dilatancy_lower", sample.network->lower),
              std::pair("network_dilatancy_upper", sample.network->upper),
              std::pair("network_dilatancy_least", sample.network->least),
              std::pair("network_dilatancy_largest", sample.network->largest)})
          row.push_back({name, value});
      rows.push_back(std::move(row));
    }
  write_table(out, rows);
}

void write_means(std::ostream &out, const DisorderSamples &samples, const References &references,
                 const std::vector<int> &windows)
{
  std::vector<std::vector<Column>> rows;
  for (const Group &group : groups_of(samples))
    {
      std::vector<Column> row = {{"limit", static_cast<double>(group.front()->tolerance_number + 1)},
                                 {"tolerance", group.front()->tolerance},
                                 {"spheres", mean_spheres(group)},
                                 {"samples", static_cast<double>(group.size())},
                                 {"spacing", mean_spacing(group)}};
      const auto          add = [&](const std::string &name, const Statistics &statistics) {
        row.push_back({name, statistics.mean});
        row.push_back({name + "_deviation", statistics.deviation});
      };
      add("coordination", over(group, [](const auto &s) { return s.coordination; }));
      row.push_back({"isostatic_coordination", over(group, [](const auto &s) { return s.isostatic; }).mean});
      add("dissipated_fraction", over(group, [](const auto &s) { return s.level.dissipated_fraction; }));
      for (std::size_t k = 0; k < references.size(); ++k)
        {
          const Statistics error = distance(group, k);
          add("error" + suffix(references, k), error);
          // bars of the plot
          row.push_back({"error" + suffix(references, k) + "_lower", error.mean - error.deviation});
          row.push_back({"error" + suffix(references, k) + "_upper", error.mean + error.deviation});
          add("relative_error" + suffix(references, k),
              over(group, [k](const auto &s) { return s.level.comparisons[k].relative; }));
          add("defect" + suffix(references, k), over(group, [k](const auto &s) { return s.level.comparisons[k].defect; }));
          for (std::size_t w = 0; w < windows.size(); ++w)
            add("coarse_" + std::to_string(windows[w]) + suffix(references, k),
                over(group, [k, w](const auto &s) { return s.level.comparisons[k].coarse(w); }));
        }
      if (group.front()->fit)
        {
          add("dilatancy", over(group, [](const auto &s) { return s.fit->s; }));
          add("error_of_dilatancy", over(group, [](const auto &s) { return s.fit->distance; }));
        }
      if (group.front()->network)
        add("network_dilatancy", over(group, [](const auto &s) { return s.network->s; }));
      rows.push_back(std::move(row));
    }
  write_table(out, rows);
}

void add_to_json(nlohmann::ordered_json &json, const DisorderSamples &samples, const References &references)
{
  using Json      = nlohmann::ordered_json;
  json["samples"] = Json::array();
  for (const DisorderSample &sample : samples)
    {
      const homogenization::Level &level = sample.level;
      Json                         entry = {{"spheres", level.n_spheres},
                                            {"seed", sample.seed ? Json(*sample.seed) : Json()},
                                            {"tolerance", number(sample.tolerance)},
                                            {"contacts", level.n_contacts},
                                            {"coordination", number(sample.coordination)},
                                            {"isostatic_coordination", number(sample.isostatic)},
                                            {"relative_error_bound", number(level.certificate.relative_error_bound)},
                                            {"guaranteed", level.certificate.guaranteed},
                                            {"status", convex::name(level.effort.status)},
                                            {"dissipated_fraction", number(level.dissipated_fraction)}};
      add_by_reference(entry, level);
      if (sample.fit)
        entry["dilatancy"] = {{"s", number(sample.fit->s)},
                              {"interval", {number(sample.fit->lower), number(sample.fit->upper)}},
                              {"distance", number(sample.fit->distance)}};
      if (sample.network)
        entry["network_dilatancy"] = {{"s", number(sample.network->s)},
                                      {"interval", {number(sample.network->lower), number(sample.network->upper)}},
                                      {"range", {number(sample.network->least), number(sample.network->largest)}}};
      json["samples"].push_back(std::move(entry));
    }
  const std::vector<Group> groups = groups_of(samples);
  json["series"]                  = Json::array();
  for (const Group &group : groups)
    {
      if (group.front()->size == 0)
        {
          Json orders = Json::array();
          for (std::size_t k = 0; k < references.size(); ++k)
            orders.push_back(number(order_of(groups, group.front()->tolerance_number, k)));
          json["series"].push_back(
              {{"tolerance", number(group.front()->tolerance)}, {"orders", orders}, {"levels", Json::array()}});
        }
      Json level = {{"spheres", number(mean_spheres(group))},
                    {"samples", group.size()},
                    {"spacing", number(mean_spacing(group))},
                    {"coordination", json_of(over(group, [](const auto &s) { return s.coordination; }))},
                    {"isostatic_coordination", number(over(group, [](const auto &s) { return s.isostatic; }).mean)},
                    {"dissipated_fraction", json_of(over(group, [](const auto &s) { return s.level.dissipated_fraction; }))},
                    {"distances", Json::array()},
                    {"defects", Json::array()}};
      for (std::size_t k = 0; k < references.size(); ++k)
        {
          level["distances"].push_back(json_of(distance(group, k)));
          level["defects"].push_back(json_of(over(group, [k](const auto &s) { return s.level.comparisons[k].defect; })));
        }
      if (group.front()->fit)
        level["dilatancy"] = json_of(over(group, [](const auto &s) { return s.fit->s; }));
      if (group.front()->network)
        level["network_dilatancy"] = json_of(over(group, [](const auto &s) { return s.network->s; }));
      json["series"].back()["levels"].push_back(std::move(level));
    }
}

Plot disorder_plot(const std::string &title, const unsigned int dimension, const DisorderSamples &samples,
                   const References &references)
{
  Plot plot{"convergence",
            {{"title", title},
             {"size", "spacing"},
             {"x_label", "spacing of the spheres [m]"},
             {"y_label", "distance in L² [" + unit_of_distance(dimension) + "], mean of samples"},
             {"bars", "bars: mean ± standard deviation of samples"}},
            {}};
  for (const Group &group : groups_of(samples))
    if (group.front()->size == 0)
      for (std::size_t k = 0; k < references.size(); ++k)
        plot.add_curve("|v - u|, " + references[k].name + ", tolerance " + short_number(group.front()->tolerance),
                       "error" + suffix(references, k), false, static_cast<int>(group.front()->tolerance_number) + 1,
                       /*with_interval=*/true);
  return plot;
}
} // namespace moreau::app
