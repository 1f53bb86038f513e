// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MACRO_FLOW_RESTING_PARTS_H
#define MOREAU_MACRO_FLOW_RESTING_PARTS_H

#include "macro/flow/full_zone.h"

namespace moreau::macro
{
/// The connected parts of a full zone, those at rest and the others. Impacts in one do not depend on any other.
struct RestingParts
{
  CellArray at_rest;            ///< 1 in cells of parts at rest, else 0; ghosts up to date
  double    resting    = 0.;    ///< m/s: the most that a part that is not at rest may approach with in a repetition and rest
  bool      any        = false; ///< a part is at rest, on some process
  bool      any_others = false;
};

/// At rest is a part of which no row approaches faster than slow + 2 times what the force gives to a row of it in the step:
/// by so much it presses the part. Matter that falls freely together is pressed nowhere, a column by its floor.
///   approach  BU of the rows (m/s), U before the impact
///   pressed   the same of what the force gives in the step
/// All processes call it.
RestingParts resting_parts(const FullZone &zone, const Vector &approach, const Vector &pressed, double slow);
} // namespace moreau::macro

#endif
