// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_APP_OUTPUT_VERDICT_H
#define MOREAU_APP_OUTPUT_VERDICT_H

#include "app/output/record.h"
#include "app/output/summary.h"

#include <string>

namespace moreau::app
{
/// What an error is relative to, as verdicts say it.
///   has_mean_gradient  the problem is one for the w of U = D x + w
std::string scale_in_words(bool has_walls, bool has_mean_gradient = false);

/// What is proved of one impact, the first line of its result: "certified: |u - exact| <= 1.3e-7 |U - mean U|", or "not
/// certified: " with the reason. The bound is that of u⁺; of each projection, where the law was applied several times.
///   scale   what its error is relative to
///   reason  why the impact did not converge; where it did, it is not looked at
std::string verdict_on_impact(const Summary &summary, double restitution, const std::string &scale,
                              const std::string &reason);

/// The same of the projections of all steps.
///   scale     what their errors are relative to
///   not_said  what such a certificate does not cover, "the error in time"
std::string verdict_on_steps(const Totals &totals, const std::string &scale, const std::string &not_said);
} // namespace moreau::app

#endif
