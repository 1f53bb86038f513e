// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/input/text/functions.h"

#include <cmath>
#include <limits>

namespace moreau::app
{
ValueAndSlope function_at(const std::string &name, const double x)
{
  const auto square = [](const double y) { return y * y; };
  if (name == "sin")
    return {std::sin(x), std::cos(x)};
  if (name == "cos")
    return {std::cos(x), -std::sin(x)};
  if (name == "tan")
    return {std::tan(x), 1. / square(std::cos(x))};
  if (name == "asin")
    return {std::asin(x), 1. / std::sqrt(1. - x * x)};
  if (name == "acos")
    return {std::acos(x), -1. / std::sqrt(1. - x * x)};
  if (name == "atan")
    return {std::atan(x), 1. / (1. + x * x)};
  if (name == "sinh")
    return {std::sinh(x), std::cosh(x)};
  if (name == "cosh")
    return {std::cosh(x), std::sinh(x)};
  if (name == "tanh")
    return {std::tanh(x), 1. - square(std::tanh(x))};
  if (name == "asinh")
    return {std::asinh(x), 1. / std::sqrt(1. + x * x)};
  if (name == "acosh")
    return {std::acosh(x), 1. / std::sqrt(x * x - 1.)};
  if (name == "atanh")
    return {std::atanh(x), 1. / (1. - x * x)};
  if (name == "exp")
    return {std::exp(x), std::exp(x)};
  if (name == "log" || name == "ln")
    return {std::log(x), 1. / x};
  if (name == "log10")
    return {std::log10(x), 1. / (x * M_LN10)};
  if (name == "log2")
    return {std::log2(x), 1. / (x * M_LN2)};
  if (name == "sqrt")
    return {std::sqrt(x), .5 / std::sqrt(x)};
  if (name == "erf")
    return {std::erf(x), 2. / std::sqrt(M_PI) * std::exp(-x * x)};
  if (name == "erfc")
    return {std::erfc(x), -2. / std::sqrt(M_PI) * std::exp(-x * x)};
  if (name == "sec")
    return {1. / std::cos(x), std::sin(x) / square(std::cos(x))};
  if (name == "csc")
    return {1. / std::sin(x), -std::cos(x) / square(std::sin(x))};
  if (name == "cot")
    return {1. / std::tan(x), -1. / square(std::sin(x))};
  return {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::quiet_NaN()};
}
} // namespace moreau::app
