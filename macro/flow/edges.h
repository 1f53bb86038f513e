// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MACRO_FLOW_EDGES_H
#define MOREAU_MACRO_FLOW_EDGES_H

#include "macro/flow/transport.h"

namespace moreau::macro
{
/// Matter within one cell moves as one along an axis. A face with an empty cell on one side (an outer face; what has a
/// millionth of the other cell's density or less is empty) carries half of the mass of the cell on the other, but hardly any
/// mass flows in through it: if it moves into the cell faster than the opposite face moves on, nothing would ever stop it,
/// and what has settled would never rest. Then both get the velocity of their common momentum; where the opposite face is
/// closed the outer one stops. Of outer faces in a row the one beside most counts. Energy is lost, momentum is kept but for
/// what walls take.
///   rho, rho_D  ghosts up to date
///   taken       where walls and solids are, what they take is added (density of momentum, along the axis); of all cells
///   returns     momentum that walls and solids give (of all processes)
Vector join_edges(const FlowGrid &grid, const CellArray &rho, const FaceCells &rho_D, FaceCells &momentum, FaceCells &taken);

/// The full cells, and those that the edge of a full body cuts: the body on one side, nothing on the other. They move with
/// it, else half a cell would go on as if there had been no impact. 1 there, 0 elsewhere; ghosts up to date.
CellArray full_cells_with_edges(const FlowGrid &grid, const CellArray &rho, const CellArray &rho_max);
} // namespace moreau::macro

#endif
