// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/sweep/sweep_files.h"

#include "app/input/text/words.h"
#include "app/output/plot.h"
#include "app/run/run.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <ostream>
#include <regex>
#include <set>

namespace moreau::app
{
namespace
{
using Json = nlohmann::ordered_json;

/// What differs without a reason that is in the parameters, and what the row has already.
const std::set<std::string> left_out = {"command", "date",   "host",      "git_hash", "threads", "format_version",
                                        "version", "status", "dimension", "warnings", "problem", "verdict"};

/// Numbers, truth values and the word for the method, by their keys.
void collect_values(const Json &json, const std::string &key, std::vector<std::pair<std::string, std::string>> &values)
{
  if (json.is_object())
    for (const auto &[name, part] : json.items())
      {
        if (!key.empty() || left_out.count(name) == 0)
          collect_values(part, key.empty() ? name : key + "." + name, values);
      }
  else if (json.is_array() && json.size() <= 3)
    for (std::size_t k = 0; k < json.size(); ++k)
      collect_values(json[k].is_structured() ? Json() : json[k], key + "[" + std::to_string(k) + "]", values);
  else if (json.is_number_float())
    values.emplace_back(key, digits(json.get<double>()));
  else if (json.is_number() || json.is_boolean() || json.is_null())
    values.emplace_back(key, json.is_null() ? "" : json.dump());
  else if (key == "method")
    values.emplace_back(key, json.get<std::string>());
}

/// A place of a table between commas.
std::string quoted_for_csv(const std::string &text)
{
  if (text.find_first_of(",\"\n\r") == std::string::npos)
    return text;
  std::string result = "\"";
  for (const char c : text)
    result += c == '"' ? "\"\"" : c == '\n' || c == '\r' ? " " : std::string(1, c);
  return result + "\"";
}

std::optional<double> number_in(const std::string &text)
{
  double            x       = 0.;
  const char *const begin   = text.data() + (text.size() > 1 && text[0] == '+' && text[1] != '-' ? 1 : 0);
  const auto [stop, status] = std::from_chars(begin, text.data() + text.size(), x);
  return status == std::errc() && stop == text.data() + text.size() && std::isfinite(x) ? std::optional(x) : std::nullopt;
}

/// Of the parameters whose values are all numbers the one with the most; none where none has two.
std::optional<std::size_t> axis_of(const std::vector<Swept> &swept)
{
  std::optional<std::size_t> best;
  for (std::size_t k = 0; k < swept.size(); ++k)
    {
      const auto &values = swept[k].values;
      const bool numbers = std::all_of(values.begin(), values.end(), [](const auto &v) { return number_in(v).has_value(); });
      if (numbers && values.size() > 1 && (!best || values.size() > swept[*best].values.size()))
        best = k;
    }
  return best;
}
} // namespace

std::string SweptRun::outcome() const
{
  if (status < 0)
    return "not run";
  if (status == static_cast<int>(ExitStatus::done))
    return "converged";
  if (status == static_cast<int>(ExitStatus::not_converged))
    return "not converged";
  const bool stopped =
      status == static_cast<int>(ExitStatus::interrupted) || status == static_cast<int>(ExitStatus::terminated);
  return stopped ? "stopped" : "failed";
}

void remove_run(const std::filesystem::path &folder)
{
  std::error_code not_empty;
  if (!std::filesystem::exists(folder, not_empty))
    return;
  { // what is not kept is removed at the end
    const OutputDirectory of_earlier_run(folder, {});
  }
  std::filesystem::remove(folder, not_empty);
}

void remove_earlier_runs(const OutputDirectory &output, const std::set<std::string> &kept)
{
  static const std::regex            name(R"(run_\d{3,})");
  std::vector<std::filesystem::path> stale;
  for (const auto &entry : std::filesystem::directory_iterator(output.path()))
    {
      const std::string folder = entry.path().filename().string();
      if (entry.is_directory() && !entry.is_symlink() && std::regex_match(folder, name) && kept.count(folder) == 0)
        stale.push_back(entry.path());
    }
  for (const std::filesystem::path &folder : stale)
    remove_run(folder);
}

void write_sweep_table(std::ostream &out, const std::vector<Swept> &swept, const std::vector<SweptRun> &runs)
{
  std::vector<std::string>                        keys;
  std::vector<std::map<std::string, std::string>> rows;
  for (const SweptRun &run : runs)
    {
      std::vector<std::pair<std::string, std::string>> values;
      if (!run.summary.is_null())
        collect_values(run.summary, "", values);
      for (const auto &[key, value] : values)
        if (std::find(keys.begin(), keys.end(), key) == keys.end())
          keys.push_back(key);
      rows.emplace_back(values.begin(), values.end());
    }
  std::vector<std::string> line = {"run"};
  for (const Swept &parameter : swept)
    line.push_back(quoted_for_csv(parameter.name()));
  line.insert(line.end(), {"status", "exit_status"});
  for (const std::string &key : keys)
    line.push_back(quoted_for_csv(key));
  out << joined(line, ",") << '\n';
  for (std::size_t r = 0; r < runs.size(); ++r)
    {
      line = {runs[r].folder};
      for (std::size_t k = 0; k < swept.size(); ++k)
        line.push_back(quoted_for_csv(swept[k].values[runs[r].combination[k]]));
      line.insert(line.end(), {runs[r].outcome(), runs[r].status < 0 ? "" : std::to_string(runs[r].status)});
      for (const std::string &key : keys)
        line.push_back(quoted_for_csv(rows[r].count(key) > 0 ? rows[r].at(key) : ""));
      out << joined(line, ",") << '\n';
    }
}

namespace
{
/// A number of each run over the swept one that has most values, a curve for each combination of the others. value_of: NaN
/// where it is not known.
std::string draw_numbers(const std::filesystem::path &folder, const std::string &name, Plot plot,
                         const std::vector<Swept> &swept, const std::vector<SweptRun> &runs,
                         const std::function<double(const Json &)> &value_of)
{
  const std::optional<std::size_t> axis = axis_of(swept);
  if (!axis)
    return "";
  std::map<Combination, std::map<std::size_t, double>> curves; // by the other values: numbers by that of the value
  for (const SweptRun &run : runs)
    if (run.outcome() == "converged" && run.summary.is_object())
      if (const double value = value_of(run.summary); std::isfinite(value))
        {
          Combination others                     = run.combination;
          others[*axis]                          = 0;
          curves[others][run.combination[*axis]] = value;
        }
  if (curves.empty())
    return "";
  plot.script           = "sweep";
  plot.texts["x_label"] = swept[*axis].name();
  for (const auto &[others, points] : curves)
    {
      std::vector<std::string> words;
      for (std::size_t k = 0; k < swept.size(); ++k)
        if (k != *axis && swept[k].values.size() > 1)
          words.push_back(swept[k].name() + " = " + swept[k].values[others[k]]);
      plot.lists["names"].push_back(joined(words, ", "));
    }
  return draw(plot, folder, name, [&](std::ostream &out) {
    out << "x";
    for (std::size_t c = 0; c < curves.size(); ++c)
      out << ",y" << c;
    out << '\n';
    // in the order of the numbers, in whichever they were given
    std::map<double, std::size_t> sorted;
    for (std::size_t k = 0; k < swept[*axis].values.size(); ++k)
      sorted[*number_in(swept[*axis].values[k])] = k;
    for (const auto &[x, k] : sorted)
      {
        out << digits(x);
        for (const auto &[others, points] : curves)
          out << ',' << (points.count(k) > 0 ? digits(points.at(k)) : "");
        out << '\n';
      }
  });
}

double number_of(const Json &summary, const std::string &key)
{
  const Json value = summary.value(key, Json());
  return value.is_number() ? value.get<double>() : std::numeric_limits<double>::quiet_NaN();
}
} // namespace

std::string draw_sweep(const std::filesystem::path &folder, const std::vector<Swept> &swept,
                       const std::vector<SweptRun> &runs)
{
  const std::string complaint = draw_numbers(
      folder, "sweep",
      {"", {{"title", "Kinetic energy after divided by before"}, {"y_label", "energy after / energy before"}}, {}}, swept,
      runs, [](const Json &summary) {
        const double before = number_of(summary, "energy_before");
        return before > 0. ? number_of(summary, "energy_after") / before : std::numeric_limits<double>::quiet_NaN();
      });
  if (!complaint.empty())
    return complaint;
  return draw_numbers(folder, "costs", {"", {{"title", "What the solver took"}, {"y_label", "seconds"}}, {}}, swept, runs,
                      [](const Json &summary) { return number_of(summary, "wall_time_s"); });
}
} // namespace moreau::app
