// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MACRO_FLOW_REBOUND_COUNT_H
#define MOREAU_MACRO_FLOW_REBOUND_COUNT_H

#include "convex/named_arrays.h"
#include "macro/flow/grid.h"

#include <cstdint>

namespace moreau::macro
{
/// How often matter has rebounded: counts per cell that move with the matter. Cells in which bodies mix keep the larger
/// count. Pressed in steps that follow each other, matter takes part in one rebound: an edge may fill a cell later than its
/// neighbour.
class ReboundCount
{
public:
  explicit ReboundCount(const FlowGrid &grid) : grid(grid), times(grid.array()), last(grid.array()) {}

  /// As the mass flux of a step of length h moves matter, which leaves the densities rho. Ghosts of flux up to date.
  void move(const FaceCells &flux, double h, const CellArray &rho);

  /// The matter where q > 0 rebounds in this step. U: velocities before; where all of it has one, it has hit walls or solids
  /// alone, which is exact.
  void rebound(const CellArray &q, const FaceCells &U, std::int64_t step);

  /// The most that the same matter has ever taken part in; on all processes.
  std::int64_t most() const { return largest; }
  bool         any_between_bodies() const { return between_bodies; } ///< else all were from walls and solids; likewise

  void put_into(convex::NamedArrays &state) const;
  void take_from(const convex::NamedArrays &state); ///< Throws std::invalid_argument where it is of another flow.

private:
  template <class F>
  bool has_one_velocity(const FaceCells &U, F &&is_pressed) const;

  const FlowGrid &grid;
  CellArray       times, last; ///< rebounds so far, the step of the last one
  std::int64_t    largest        = 0;
  bool            between_bodies = false;
};
} // namespace moreau::macro

#endif
