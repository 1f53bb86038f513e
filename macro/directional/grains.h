// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MACRO_DIRECTIONAL_GRAINS_H
#define MOREAU_MACRO_DIRECTIONAL_GRAINS_H

#include "macro/directional/zone.h"

namespace moreau::macro
{
/// The number of the grain of each simplex of the zone, from 0 in the order of their first simplices, for pictures:
/// neighbours are of one grain where each line of the one lies within 0.1 of a line of the other, whatever their signs and
/// order. Empty where directions are uniform.
Vector grain_numbers(const DirectionalZone &zone);
} // namespace moreau::macro

#endif
