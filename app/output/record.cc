// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/output/record.h"

#include "app/input/text/prm_text.h"
#include "app/input/text/words.h"
#include "convex/input_error.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

namespace moreau::app
{
namespace
{
using nlohmann::json;

std::string in_table(const json &value)
{
  if (value.is_null())
    return "";
  if (value.is_number_float())
    return digits(value);
  if (!value.is_string())
    return value.dump();
  std::string word = value;
  std::replace(word.begin(), word.end(), ',', ';');
  return word;
}

double real_of(const json &value)
{
  return value.is_null() ? std::numeric_limits<double>::quiet_NaN() : value.get<double>();
}

/// NaN is larger than any number.
bool is_larger(const json &x, const json &y) { return !std::isnan(real_of(y)) && !(real_of(x) <= real_of(y)); }

/// so_far: null before the first step.
void add_value(json &so_far, const Total total, const json &x)
{
  const bool begins = so_far.is_null();
  switch (total)
    {
      case Total::first:
        break;
      case Total::last:
        so_far = x;
        break;
      case Total::sum:
        if (x.is_number_float())
          so_far = (begins ? 0. : so_far.get<double>()) + x.get<double>();
        else
          so_far = (begins ? 0 : so_far.get<std::int64_t>()) + x.get<std::int64_t>();
        break;
      case Total::largest:
        if (begins)
          so_far = x.is_number_integer() ? json(0) : json(0.);
        if (is_larger(x, so_far))
          so_far = real_of(x) == real_of(x) ? x : json(real_of(x));
        break;
      case Total::smallest:
        if (begins || x < so_far)
          so_far = x;
    }
}

/// Values stand in the order of their columns.
template <class Values, class Visit>
void for_values(const Record &record, Values &values, Visit &&visit)
{
  std::size_t k = 0;
  for (const Record::Column &column : record.columns)
    for (const Record::OfRun &of_run : column.of_run)
      if (!of_run.key.empty())
        {
          if (k == values.size())
            values.emplace_back(of_run.key, nullptr);
          visit(values[k++].second, of_run.total, column.value);
        }
}

bool is_exact_as_real(const double n) { return std::abs(n) < 0x1p53; }

bool counts_something(const std::int64_t n) { return 0 <= n && is_exact_as_real(static_cast<double>(n)); }

/// Whether a value can be one of a column with the value `like`.
bool is_of_kind(const json &value, const json &like)
{
  if (like.is_null() || like.is_number_float()) // null: a number that is not known
    return value.is_null() || value.is_number();
  if (like.is_number_integer())
    return value.is_number_integer() && is_exact_as_real(value.get<double>());
  if (like.is_string())
    return value.is_string() && is_utf8(value.get<std::string>());
  if (!like.is_array())
    return value.type() == like.type();
  return value.is_array() && std::equal(value.begin(), value.end(), like.begin(), like.end(), is_of_kind);
}

/// A certificate of which steps have no common number: only what is set afterwards counts.
convex::Certificate certificate_of_steps()
{
  constexpr double    none = std::numeric_limits<double>::quiet_NaN();
  convex::Certificate c;
  c.guaranteed           = false;
  c.relative_error_bound = c.natural_residual = c.bound_relative_to_u = none;
  c.gap = c.primal_infeasibility = c.dual_infeasibility = c.complementarity = none;
  c.momentum = c.round_off_floor = c.scale = none;
  return c;
}
} // namespace

std::string step_at(const std::int64_t step, const double time)
{
  return "step " + std::to_string(step) + " (t = " + short_number(time) + " s)";
}

std::string header_of(const Record &record)
{
  std::string           header;
  std::set<std::string> names;
  const auto            add = [&](const std::string &name) {
    if (!names.insert(name).second)
      throw InputError("Measurements", "Two columns of statistics.csv are called '" + name +
                                                      "'; give the flux, region or probe of this name another one.");
    header += (header.empty() ? "" : ",") + name;
  };
  for (const Record::Column &column : record.columns)
    if (column.name.empty())
      continue;
    else if (column.value.is_array())
      for (std::size_t k = 0; k < column.value.size(); ++k)
        add(column.name + "_" + column.components.at(k));
    else
      add(column.name);
  return header;
}

std::string row_of(const Record &record)
{
  std::string row;
  for (const Record::Column &column : record.columns)
    if (column.name.empty())
      continue;
    else if (column.value.is_array())
      for (const json &component : column.value)
        row += "," + in_table(component);
    else
      row += "," + in_table(column.value);
  return row.substr(1);
}

void Totals::set(const Total kind, const Record &record)
{
  for_values(record, values, [&](json &value, const Total total, const json &x) {
    if (total == kind)
      value = x;
  });
}

void Totals::add(const Record &record, const double seconds)
{
  ++n_steps;
  wall_time += seconds;
  for_values(record, values, add_value);
  if (!record.failure)
    return;
  ++n_not_converged;
  if (first_not_converged.empty())
    first_not_converged = record.failure->step;
  if (is_larger(record.failure->natural_residual, worst_not_converged))
    worst_not_converged = record.failure->natural_residual;
}

bool Totals::fit(const Record &record) const
{
  if (!counts_something(n_steps) || !counts_something(n_not_converged) || n_not_converged > n_steps ||
      !is_utf8(first_not_converged))
    return false;
  std::size_t k    = 0;
  bool        fits = true;
  for (const Record::Column &column : record.columns)
    for (const Record::OfRun &of_run : column.of_run)
      if (!of_run.key.empty())
        {
          const bool is_there = k < values.size() && values[k].first == of_run.key;
          fits =
              fits && is_there && (n_steps == 0 && values[k].second.is_null() || is_of_kind(values[k].second, column.value));
          ++k;
        }
  return fits && k == values.size();
}

std::string Totals::complaint() const
{
  return std::to_string(n_not_converged) + " of " + counted(n_steps, "step") + " did not converge, the first was " +
         first_not_converged + "; the worst natural residual of these is " + short_number(worst_not_converged);
}

json Totals::at(const std::string_view key) const
{
  for (const auto &[name, value] : values)
    if (name == key)
      return n_steps == 0 && value.is_null() ? json(0) : value;
  return 0;
}

double Totals::real(const std::string_view key) const { return real_of(at(key)); }

nlohmann::ordered_json Totals::summary_of(Summary summary) const
{
  summary.converged          = converged();
  summary.effort.seconds     = wall_time;
  summary.energy_projected   = std::numeric_limits<double>::quiet_NaN(); // of every step another one
  summary.certificate        = certificate_of_steps();
  summary.tolerance_demanded = summary.tolerance;

  nlohmann::ordered_json result = to_json(summary);
  result["steps"]               = n_steps;
  for (const auto &[key, value] : values)
    result[nlohmann::ordered_json::json_pointer("/" + key)] = value;
  result["steps_not_converged"] = n_not_converged;
  if (!converged())
    result["first_not_converged"] = first_not_converged;
  return result;
}
} // namespace moreau::app
