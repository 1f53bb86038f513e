// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_APP_INPUT_TEXT_SWITCHES_H
#define MOREAU_APP_INPUT_TEXT_SWITCHES_H

#include "app/input/text/formula.h"

#include <string>
#include <vector>

namespace moreau::app
{
/// Where the text of a function on the line says that it may jump.
struct Switches
{
  std::vector<double> at;              ///< m, ascending: the last double before each place
  bool                complete = true; ///< else there are more of them than can be kept, or one that could not be followed
};

/// Of expressions in one coordinate (the first variable; the others are 0): where two sides of a comparison are equal, an
/// argument of floor, ceil, int, rint, sign or if passes a jump of these, and one of tan, cot, sec, csc a pole. Each of
/// these functions is looked at by itself, in n_samples equally spaced points from left to right and where the others jump:
/// a gap of a picometre between `x < 0.2` and `x > 0.2 + 1e-12` has two zeros that lie alone, each in a function of its own.
/// Zeros in pairs, as of `abs(x - 0.5) < 1e-9`, are found as minima between the points.
/// section: as for Formula. Throws as Formula.
Switches switches_of(const std::string &section, const ExpressionText &text, double left, double right,
                     geometry::Index n_samples);

/// The last points between those where something may jump, to look at between points `spacing` apart.
std::vector<double> between(const std::vector<double> &places, double spacing);
} // namespace moreau::app

#endif
