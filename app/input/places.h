// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_APP_INPUT_PLACES_H
#define MOREAU_APP_INPUT_PLACES_H

#include <map>
#include <string>

namespace moreau::app
{
/// What the errors of the rooms below app/ are about, in their words ("the walls"), and the part of a parameter file that
/// speaks of it ("Zone/Walls"). `layering` asks that each subject of these rooms is here.
const std::map<std::string, std::string> &places();

/// "Section/Name", or "Section", for the subject of an InputError: "the angle of the obstacles, group 2" stands at
/// "Obstacles 2/Angle expression". Empty for words that are not in the table; what does not begin with "the" is a place.
std::string place_of(const std::string &subject);
} // namespace moreau::app

#endif
