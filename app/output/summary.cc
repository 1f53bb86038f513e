// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/output/summary.h"

#include "app/input/parameters.h"
#include "app/input/text/words.h"
#include "app/output/log.h"
#include "app/output/origin.h"
#include "convex/certificate.h"
#include "macro/total_bound.h"

#include <nlohmann/json.hpp>

#include <sys/resource.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

namespace moreau::app
{
nlohmann::ordered_json number(const double x)
{
  return std::isfinite(x) ? nlohmann::ordered_json(x) : nlohmann::ordered_json(nullptr);
}

Summary::Summary(const Parameters &parameters)
    : problem(parameters.problem), dimension(parameters.dimension), tolerance(parameters.criterion.tolerance)
{}

void separate_estimates(nlohmann::ordered_json &json, const bool converged)
{
  if (json.is_object() && json.contains("relative_error_bound") &&
      json.value("guaranteed", nlohmann::ordered_json()) == false)
    {
      json["error_estimate"]       = converged ? json["relative_error_bound"] : nlohmann::ordered_json();
      json["relative_error_bound"] = nullptr;
      if (json.contains("bound_relative_to_u"))
        json["bound_relative_to_u"] = nullptr;
    }
  if (json.is_structured())
    for (nlohmann::ordered_json &part : json)
      separate_estimates(part, converged);
}

void separate_estimates(nlohmann::ordered_json &summary)
{
  separate_estimates(summary, summary.at("status") == "converged");
}

std::string bound_or_estimate(const bool guaranteed) { return guaranteed ? "relative error bound" : "error estimate"; }

void say_tolerance(Log &log, const Summary &summary)
{
  log.row("tolerance", short_number(summary.tolerance));
  if (summary.tolerance_demanded > summary.tolerance &&
      summary.tolerance_demanded <= 3. * summary.certificate.round_off_floor)
    log.line("  The tolerance lies below what double precision can certify here: three times the round-off floor, " +
             short_number(summary.tolerance_demanded) + ", is demanded.");
}

nlohmann::ordered_json to_json(const convex::Certificate &certificate)
{
  nlohmann::ordered_json json = {{"guaranteed", certificate.guaranteed}};
  for (const auto &[name, value] : convex::named_numbers(certificate))
    json[name] = number(value);
  return json;
}

void take_out_lost_energies(Summary &summary, const double fastest, Log &log)
{
  constexpr double least = std::numeric_limits<double>::min() / std::numeric_limits<double>::epsilon(); // with all digits
  const bool       too_small  = fastest > 0. && summary.energy_before < least;
  double *const    energies[] = {&summary.energy_before, &summary.energy_projected, &summary.energy_after};
  const bool       too_large  = std::any_of(std::begin(energies), std::end(energies),
                                            [](const double *const energy) { return !std::isfinite(*energy); });
  if (!too_small && !too_large)
    return;
  for (double *const energy : energies)
    *energy = std::numeric_limits<double>::quiet_NaN();
  // squares of such velocities are numbers: else it is what they are multiplied by
  const bool of_masses = 1e-140 <= fastest && fastest <= 1e140;
  log.warn((of_masses ? "Masses" : "The velocities, up to " + short_number(fastest) + " m/s,") + " are so " +
           (too_large ? "large" : "small") +
           " that numbers cannot hold their kinetic energies, which are left out (null); choose other units.");
}

std::string energy_text(const double energy, const std::string &unit)
{
  return std::isnan(energy) ? "none that a number can hold" : short_number(energy) + unit;
}

nlohmann::ordered_json to_json(const Summary &summary)
{
  nlohmann::ordered_json json;
  json["problem"]            = summary.problem;
  json["dimension"]          = summary.dimension;
  json["version"]            = version();
  json["status"]             = summary.converged ? "converged" : "not converged";
  json["verdict"]            = summary.verdict;
  json["unknowns"]           = summary.n_unknowns;
  json["constraints"]        = summary.n_constraints;
  json["iterations"]         = summary.effort.n_iterations;
  json["wall_time_s"]        = number(summary.effort.seconds);
  json["peak_memory_bytes"]  = peak_memory();
  json["energy_before"]      = number(summary.energy_before);
  json["energy_projected"]   = number(summary.energy_projected);
  json["energy_after"]       = number(summary.energy_after);
  json["tolerance"]          = number(summary.tolerance);
  json["tolerance_demanded"] = number(summary.tolerance_demanded);
  json["certificate"]        = to_json(summary.certificate);
  add_origin(json);
  return json;
}

nlohmann::ordered_json to_json(const convex::Diagnostics &d)
{
  nlohmann::ordered_json json;
  json["adjoint_defect"] = number(d.adjoint_defect);
  if (d.orthogonality_defect)
    json["orthogonality_defect"] = number(*d.orthogonality_defect);
  if (d.energy_defect)
    json["energy_defect"] = number(*d.energy_defect);
  if (d.rank_of_B)
    json["rank"] = *d.rank_of_B;
  if (d.dim_kernel_of_B)
    json["dim_kernel_of_B"] = *d.dim_kernel_of_B;
  if (d.dim_kernel_of_Bstar)
    json["dim_kernel_of_Bstar"] = *d.dim_kernel_of_Bstar;
  if (d.positive_couplings)
    json["positive_couplings"] = {{"pairs", d.positive_couplings->n_pairs},
                                  {"largest", number(d.positive_couplings->largest)}};
  if (d.maximum_principle)
    json["maximum_principle"] = convex::name(*d.maximum_principle);
  if (d.n_rigid_rows)
    json["rigid_rows"] = *d.n_rigid_rows;
  if (d.multiplier_is_unique)
    json["multiplier_is_unique"] = *d.multiplier_is_unique;
  if (d.gamma_at_least && d.gamma_at_most)
    {
      json["has_self_stress"] = std::isinf(*d.gamma_at_least);
      json["gamma"]           = {number(*d.gamma_at_least), number(*d.gamma_at_most)};
    }
  return json;
}

nlohmann::ordered_json relative_bound(const macro::TotalBound &bound)
{
  return bound.available ? number(bound.relative) : nullptr;
}

nlohmann::ordered_json total_bound(const macro::TotalBound &bound)
{
  const auto             known = [&](const double x) { return bound.available ? number(x) : nullptr; };
  nlohmann::ordered_json json;
  json["available"]         = bound.available;
  json["guaranteed"]        = bound.available && bound.guaranteed;
  json["construction"]      = bound.available ? nlohmann::ordered_json(bound.construction) : nullptr;
  json["eta"]               = known(bound.eta);
  json["scale"]             = known(bound.scale);
  json["mismatch"]          = known(bound.mismatch);
  json["work"]              = known(bound.work);
  json["energy_lower"]      = known(bound.least_energy);
  json["energy_upper"]      = known(bound.most_energy);
  json["oscillation"]       = known(bound.oscillation);
  json["largest_violation"] = known(bound.largest_violation);
  json["error_estimate"]    = bound.estimated ? number(bound.relative) : nullptr;
  json["remark"]            = bound.remark;
  return json;
}

long long peak_memory()
{
  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  return 1024LL * usage.ru_maxrss;
}

std::string version() { return MOREAU_VERSION; }
} // namespace moreau::app
