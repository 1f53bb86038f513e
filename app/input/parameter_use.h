// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_APP_INPUT_PARAMETER_USE_H
#define MOREAU_APP_INPUT_PARAMETER_USE_H

#include <string>

namespace moreau::app
{
struct Parameters;

/// Why "Section/Name" has no effect on these parameters' problem: "is for 'particle motion', but Problem is 'micro impact'";
/// empty where it has one.
std::string why_unused(const std::string &path, const Parameters &parameters);
} // namespace moreau::app

#endif
