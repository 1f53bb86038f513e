// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MACRO_ISOTROPIC_SHAPE_ZONE_H
#define MOREAU_MACRO_ISOTROPIC_SHAPE_ZONE_H

#include "macro/isotropic/shape_function.h"

namespace moreau::macro
{
/// A zone whose boundary cuts cells, seen by the grid.
struct ShapeZone
{
  BoxZone    inside;  ///< cells with their centre in the zone: those that have a pressure
  BoxZone    touched; ///< these and all others that the zone reaches: a superset of it
  FaceArrays theta;   ///< where a link from a cell inside to one that is not is cut, the part of it in the zone; 0 elsewhere
};

ShapeZone shape_zone(const ShapeFunction &w, const Sides &walls);
} // namespace moreau::macro

#endif
