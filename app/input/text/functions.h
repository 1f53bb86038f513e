// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_APP_INPUT_TEXT_FUNCTIONS_H
#define MOREAU_APP_INPUT_TEXT_FUNCTIONS_H

#include <string>

namespace moreau::app
{
/// f(x) and f'(x).
struct ValueAndSlope
{
  double value, slope;
};

/// Of a function of one number, by the name that it has in expressions; NaN for other names.
ValueAndSlope function_at(const std::string &name, double x);
} // namespace moreau::app

#endif
