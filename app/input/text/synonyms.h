// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_APP_INPUT_TEXT_SYNONYMS_H
#define MOREAU_APP_INPUT_TEXT_SYNONYMS_H

#include "app/input/text/prm_text.h"

#include <string>
#include <vector>

namespace moreau::app
{
/// The end of a sentence about "Section/Name" that is not there: what other programs mean by it, else the nearest of the
/// names that there are.
std::string suggestion(const std::string &path, const std::vector<std::string> &names);

/// Spheres/Radius = r (m), which has no place of its own, as what it stands for, Spheres/Spheres per unit length = 1/(2 r);
/// a list likewise. Everything else as it is. Throws InputError for a radius that is no positive number.
Assignment without_aliases(Assignment assignment);

/// Sides of the box that are called x-, x+, ... z+ by their names: "left" for "x-". Other words stay.
std::string with_names_of_sides(const std::string &text);
} // namespace moreau::app

#endif
