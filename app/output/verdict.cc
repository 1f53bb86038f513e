// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/output/verdict.h"

#include "app/input/text/words.h"

#include <cmath>

namespace moreau::app
{
namespace
{
std::string at_most(const double bound, const std::string &scale)
{
  return bound == 0. ? " = 0" : " <= " + short_number(bound) + " " + scale;
}

/// reason: empty where all converged. place: of which the bound is, "in each of 3 steps", or empty.
std::string verdict(const std::string &reason, const bool guaranteed, const double bound, const std::string &place,
                    const std::string &scale)
{
  const std::string error    = (place.empty() ? "" : place + " ") + "|u - exact|";
  const bool        is_proof = guaranteed && std::isfinite(bound);
  if (reason.empty() && is_proof)
    return "certified: " + error + at_most(bound, scale);
  if (is_proof)
    return "not certified: " + reason + "; proved is " + error + at_most(bound, scale);
  const std::string known = std::isfinite(bound) ? error + " is estimated as " + short_number(bound) + " " + scale
                                                 : "nothing bounds |u - exact|" + (place.empty() ? "" : " " + place);
  return "not certified: " + (reason.empty() ? "" : reason + "; ") + known;
}
} // namespace

std::string scale_in_words(const bool has_walls, const bool has_mean_gradient)
{
  const std::string v = has_mean_gradient ? "w" : "U", differs = "|" + v + " - mean " + v + "|";
  return (has_walls ? "max(" + differs + ", approach to the walls)" : differs) + (has_mean_gradient ? ", U = D x + w" : "");
}

std::string verdict_on_impact(const Summary &summary, const double restitution, const std::string &scale,
                              const std::string &reason)
{
  const std::int64_t n = summary.effort.n_projections;
  const double bound = summary.certificate.relative_error_bound * (n == 1 ? 1. + restitution : 1.); // u⁺ = U - (1+e)(U - u)
  const convex::Certificate &c   = summary.certificate;
  std::string                why = summary.converged ? "" : reason;
  if (!summary.converged && c.guaranteed && c.relative_error_bound <= c.demanded)
    why += " at a natural residual of " + short_number(c.natural_residual) +
           ", above the root of the tolerance, so that p is not known well";
  return verdict(why, c.guaranteed, bound, n > 1 ? "in each of " + std::to_string(n) + " projections" : "", scale);
}

std::string verdict_on_steps(const Totals &totals, const std::string &scale, const std::string &not_said)
{
  return verdict(totals.converged() ? "" : totals.complaint(), totals.at("certificate/guaranteed") == true,
                 totals.real("certificate/relative_error_bound"), "in each of " + counted(totals.n_steps, "step"), scale) +
         "; it does not cover " + not_said;
}
} // namespace moreau::app
