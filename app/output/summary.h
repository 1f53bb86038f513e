// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_APP_OUTPUT_SUMMARY_H
#define MOREAU_APP_OUTPUT_SUMMARY_H

#include "convex/effort.h"
#include "convex/solvers/diagnostics.h"

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace moreau::macro
{
struct TotalBound;
}

namespace moreau::app
{
struct Parameters;
class Log;

/// What summary.json says for every problem. Energies are kinetic, ½<u,u>, in J.
struct Summary
{
  Summary() = default;
  explicit Summary(const Parameters &parameters); ///< with the problem, its dimension and the tolerance

  std::string         problem;
  unsigned int        dimension = 0;
  std::string         verdict; ///< the first line of the result: app/output/verdict.h
  bool                converged     = false;
  convex::Index       n_unknowns    = 0;
  convex::Index       n_constraints = 0;
  convex::Effort      effort; ///< of all projections
  double              energy_before = 0., energy_projected = 0., energy_after = 0.;
  convex::Certificate certificate;
  double              tolerance = 0.; ///< relative error bound asked for
  double tolerance_demanded = 0.; ///< convex::StoppingCriterion::demanded in view of the round-off floor, or macro::judge
};

/// Kinetic energies of an impact that a number cannot hold, since speeds below some 1e-146 or above 1e154 m/s have squares
/// that are rounded to 0 or are infinite: all three become NaN (null), and the log warns of it. Others stay as they are.
///   fastest  the largest component of the velocity before the impact (m/s)
void take_out_lost_energies(Summary &summary, double fastest, Log &log);

/// "0.5 J", and "none that a number can hold" for NaN. unit: with a blank before it, or empty.
std::string energy_text(double energy, const std::string &unit = " J");

/// The keys of the interface, in a fixed order; a number that is not finite becomes null.
nlohmann::ordered_json to_json(const Summary &summary);

/// What is no bound does not stand in the place of one: in every object of a summary that says `guaranteed`: false,
/// `relative_error_bound` (and `bound_relative_to_u`) become null, and the number is found as `error_estimate`, null where
/// the run has not converged.
void separate_estimates(nlohmann::ordered_json &summary);

/// The same of any part of one, `converged` or not.
void separate_estimates(nlohmann::ordered_json &part, bool converged);

/// "relative error bound" or "error estimate": what the number in a closing table is.
std::string bound_or_estimate(bool guaranteed);

/// The row on the tolerance of a closing table, and a sentence where more is demanded than double precision can give.
void say_tolerance(Log &log, const Summary &summary);

/// By the names of summary.json.
nlohmann::ordered_json to_json(const convex::Certificate &certificate);

/// What was computed; what is empty is left out.
nlohmann::ordered_json to_json(const convex::Diagnostics &diagnostics);

/// total_bound of summary.json.
nlohmann::ordered_json total_bound(const macro::TotalBound &bound);

/// total_relative_error_bound: null where nothing bounds the error on the zone that was asked for.
nlohmann::ordered_json relative_bound(const macro::TotalBound &bound);

/// As "0.5", and as null where x is not finite.
nlohmann::ordered_json number(double x);

/// The largest resident size of this process so far (bytes).
long long peak_memory();

/// Version of this program.
std::string version();
} // namespace moreau::app

#endif
