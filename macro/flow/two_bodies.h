// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MACRO_FLOW_TWO_BODIES_H
#define MOREAU_MACRO_FLOW_TWO_BODIES_H

#include "macro/flow/grid.h"

namespace moreau::macro
{
/// Of a cell (m/s), length dim.
using CellVelocity = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, 3, 1>;

/// Beyond the line, the two velocities that matter has at t = 0, each to 1e-9 of the largest speed, where all others are
/// means of these in cells that touch cells of both. What had the same one is a body; the first of them is the one whose
/// centre of mass is lower along x, or along y, z where these agree. Which matter was in the first is a share of what a cell
/// holds, 0 to 1, that goes with the matter.
class TwoBodies
{
public:
  /// rho: as the flow has it, ghosts up to date. All processes call.
  TwoBodies(const FlowGrid &grid, const FlowSetting &setting, const CellArray &rho);

  bool are_there() const { return are_two; }

  /// Of all matter at t = 0, or that of a colour: means over cells of density and momentum, ghosts of rho up to date.
  /// Ghosts of the result are. All processes call.
  CellArray share_of_first(const CellArray &rho, const FaceCells &momentum) const;

private:
  double share_of_higher(const CellVelocity &u) const; ///< of matter that has the velocity u in the mean
  bool   find_velocities(const FlowSetting &setting, const CellArray &rho);
  bool   are_shared_at_edges(const CellArray &rho, const CellArray &share) const;
  bool   is_first(const CellArray &rho, const CellArray &share) const;

  const FlowGrid &grid;
  CellVelocity    higher, lower;
  double          slack      = 0.;
  bool            is_swapped = false; ///< the first one has the lower velocity
  bool            are_two    = false;
};

/// As the mass flux of a step of length h moves matter of densities `before`. Ghosts of flux and share up to date; those of
/// the result are.
void carry_share(const FlowGrid &grid, const FaceCells &flux, double h, const CellArray &before, CellArray &share);

/// Cells with ρ <= empty get the share of what is beside them, so that what comes there and goes on within a step has it.
/// Ghosts as above.
void extend_share(const FlowGrid &grid, const CellArray &rho, double empty, CellArray &share);

/// Adds matter of this process, over the volume of a cell, to that of the first body and of the other one.
void add_to_bodies(const FlowGrid &grid, const CellArray &rho, const CellArray &share, const FaceCells &velocity,
                   std::vector<BodySums> &bodies);

/// From what each process has to integrals over the box.
void sum_up(const FlowGrid &grid, std::vector<BodySums> &bodies);
} // namespace moreau::macro

#endif
