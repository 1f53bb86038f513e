// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MACRO_FLOW_RESTING_PARTS_H
#define MOREAU_MACRO_FLOW_RESTING_PARTS_H

#include "macro/flow/full_zone.h"

#include <vector>

namespace moreau::macro
{
/// Connected parts of a full zone to which the impact law is applied together.
struct PartsOfZone
{
  CellArray inside;  ///< 1 in their cells, else 0; ghosts up to date
  bool      at_rest; ///< they do not rebound
  double    resting; ///< m/s: what may approach in a repetition and rests
};

/// Parts at rest, parts that the force presses and that are not, and the others, which are treated as without a force; those
/// that there are, on any process. Impacts in one part do not depend on any other, but for what counts as at rest in
/// repetitions, which is the largest of its kind.
/// At rest is a part that the force presses and of which no row approaches faster than slow + 2 times what it gives to a row
/// of the part in the step, and a part that it does not press where none of these approaches faster than slow. Matter that
/// falls freely together is pressed nowhere, a column by its floor.
///   approach  BU of the rows (m/s), U before the impact
///   pressed   the same of what the force gives in the step
/// All processes call it.
std::vector<PartsOfZone> parts_of_zone(const FullZone &zone, const Vector &approach, const Vector &pressed, double slow);
} // namespace moreau::macro

#endif
