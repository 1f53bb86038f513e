// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_APP_INPUT_PARAMETER_USE_H
#define MOREAU_APP_INPUT_PARAMETER_USE_H

#include <string>
#include <vector>

namespace moreau::app
{
struct Parameters;

/// Why "Section/Name" has no effect on these parameters' problem: "is for 'particle motion', but Problem is 'micro impact'";
/// empty where it has one.
std::string why_unused(const std::string &path, const Parameters &parameters);

/// A problem in which a parameter has an effect, and what that takes: "Spheres/Arrangement = row or cradle", "System/Type =
/// spheres"; empty: nothing.
struct ProblemUse
{
  std::string problem, condition;
};

/// The problems that use "Section/Name".
std::vector<ProblemUse> problems_using(const std::string &path);
} // namespace moreau::app

#endif
