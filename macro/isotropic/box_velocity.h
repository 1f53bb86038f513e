// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MACRO_ISOTROPIC_BOX_VELOCITY_H
#define MOREAU_MACRO_ISOTROPIC_BOX_VELOCITY_H

#include "macro/isotropic/box_certificate.h"
#include "macro/saturated_cells.h"

/// Velocities on a box as functions of position: v in the zone, U elsewhere. For grids that one process owns.
namespace moreau::macro
{
/// v where the level is positive, U elsewhere.
///   touched  the cells of v: all that the zone reaches
///   whole    those of them that lie in the zone altogether: there nobody asks for the level
///   level    one component, positive exactly in the zone; may be empty where touched = whole
Field velocity_on_box(std::shared_ptr<const ReconstructedVelocity> v, const BoxZone &touched, const BoxZone &whole,
                      const Field &level, const Field &U);

/// v where the density is 1 (up to 1e-12), U elsewhere; v lives on the cells that the zone touches where it cuts some, else
/// on those of the zone.
Field velocity_on_box(std::shared_ptr<const ReconstructedVelocity> v, const SaturatedCells &cells, const Field &density,
                      const Field &U);
} // namespace moreau::macro

#endif
