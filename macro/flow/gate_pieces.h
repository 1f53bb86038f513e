// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MACRO_FLOW_GATE_PIECES_H
#define MOREAU_MACRO_FLOW_GATE_PIECES_H

#include "geometry/box_grid.h"
#include "macro/vocabulary.h"

#include <array>
#include <string>
#include <vector>

namespace moreau::macro
{
/// A flat surface in the box through which mass is counted; on the line a point, in the plane a segment.
struct FlowGate
{
  std::string         name;
  std::vector<Vector> corners; ///< of a point, a segment, a convex polygon, in order; length dim (m)
  Vector              normal;  ///< unit, along which the flux is positive
};

/// The whole of a plane (on the line a point, in the plane a line) within the box: its corners. Empty where it does not meet
/// the box.
std::vector<Vector> plane_in_box(const BoxGrid &grid, const Vector &point, const Vector &normal);

/// What of a gate lies in one cell. The field of the mass flux is linear along each axis there, so that its mean over the
/// piece is its value at the middle.
struct GatePiece
{
  CellIndex cell;
  Vector    middle;  ///< in parts of the cell, 0 at its lower faces
  double    measure; ///< m^(dim - 1); on the line 1
};

/// The pieces of a gate in the cells of this process. What lies in a face belongs to the cell above it, at the upper end of
/// the box to the last one; what lies outside of the box is left out or, where the box repeats itself, counted at the other
/// side. Throws InputError("the fluxes", ...) for a gate that is longer than the period.
std::vector<GatePiece> pieces_of(const FlowGate &gate, const BoxGrid &grid,
                                 const std::array<bool, 3> &is_periodic = {false, false, false});
} // namespace moreau::macro

#endif
