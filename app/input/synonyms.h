// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_APP_INPUT_SYNONYMS_H
#define MOREAU_APP_INPUT_SYNONYMS_H

#include <string>
#include <vector>

namespace moreau::app
{
/// The end of a sentence about "Section/Name" that is not there: what other programs mean by it, else the nearest of the
/// names that there are.
std::string suggestion(const std::string &path, const std::vector<std::string> &names);

/// Sides of the box that are called x-, x+, ... z+ by their names: "left" for "x-". Other words stay.
std::string with_names_of_sides(const std::string &text);
} // namespace moreau::app

#endif
