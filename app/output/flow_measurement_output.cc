// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/output/flow_measurement_output.h"

#include "app/input/text/words.h"
#include "app/output/summary.h"

namespace moreau::app
{
namespace
{
using nlohmann::json;

/// Unknown numbers are null.
json list_of_numbers(const geometry::Vector &x)
{
  json result = json::array();
  for (const double component : x)
    result.push_back(json(number(component)));
  return result;
}

std::vector<std::string> names_of_axes(const int dim)
{
  const std::vector<std::string> all = {"x", "y", "z"};
  return {all.begin(), all.begin() + dim};
}

double over(const double time) { return time > 0. ? 1. / time : 0.; }
} // namespace

void add_columns(Record &record, const macro::FlowMeasurements &measured, const int dim, const double time, const double h)
{
  const macro::FlowMeasurementPlan &plan = measured.plan();
  const std::vector<std::string>    axes = names_of_axes(dim);
  for (std::size_t k = 0; k < plan.gates.size(); ++k)
    {
      const auto       &mass   = measured.masses()[k];
      const std::string column = "flux_" + plan.gates[k].name, key = "fluxes/" + plan.gates[k].name + "/";
      record.columns.emplace_back(column + "_rate", mass.step * over(h));
      record.columns.push_back({column + "_total_mass", mass.total, {{Total::last, key + "mass"}}});
      record.columns.push_back({"", mass.total * over(time), {{Total::last, key + "mean_rate"}}});
    }
  for (std::size_t k = 0; k < plan.bodies.size(); ++k)
    {
      const auto       &load = measured.impulses()[k];
      const std::string key  = "forces/" + plan.bodies[k].name + "/";
      record.columns.push_back(
          {"force_" + plan.bodies[k].name, list_of_numbers(load.step * over(h)), {{Total::last, key + "force"}}, axes});
      record.columns.push_back({"", list_of_numbers(load.total * over(time)), {{Total::last, key + "mean_force"}}});
    }
  const auto add = [&](const std::string &kind, const std::string &name, const std::string &what, const json &value) {
    record.columns.push_back({name + "_" + what,
                              value,
                              {{Total::last, kind + "/" + name + "/" + what}},
                              value.is_array() ? axes : std::vector<std::string>()});
  };
  for (std::size_t k = 0; k < plan.regions.size(); ++k)
    {
      const std::string                       &name  = plan.regions[k].name;
      const macro::FlowMeasurements::InRegion &state = measured.in_regions()[k];
      add("regions", name, "mass", state.mass);
      add("regions", name, "rho", state.rho);
      add("regions", name, "u", list_of_numbers(state.u));
      add("regions", name, "p", state.p);
      if (measured.has_solids())
        add("regions", name, "force_on_solids", list_of_numbers(state.solid_impulse * over(h)));
    }
  for (std::size_t k = 0; k < plan.probes.size(); ++k)
    {
      const std::string                      &name  = plan.probes[k].name;
      const macro::FlowMeasurements::AtProbe &state = measured.at_probes()[k];
      add("probes", name, "rho", state.rho);
      add("probes", name, "u", list_of_numbers(state.u));
      add("probes", name, "p", state.p);
    }
}

std::string interval_header(const macro::FlowMeasurements &measured, const int dim)
{
  std::string header = "begin,end";
  for (const macro::FlowGate &gate : measured.plan().gates)
    header += ",flux_" + gate.name + "_mass,flux_" + gate.name + "_rate";
  for (const macro::FlowBody &body : measured.plan().bodies)
    for (const std::string &axis : names_of_axes(dim))
      header += ",force_" + body.name + "_" + axis;
  return header;
}

std::string interval_row(const macro::FlowMeasurements &measured, const double time)
{
  const double per_time = over(time - measured.interval_begin());
  std::string  row      = digits(measured.interval_begin()) + "," + digits(time);
  for (const auto &mass : measured.masses())
    row += "," + digits(mass.interval) + "," + digits(mass.interval * per_time);
  for (const auto &load : measured.impulses())
    for (const double impulse : load.interval)
      row += "," + digits(impulse * per_time);
  return row;
}
} // namespace moreau::app
