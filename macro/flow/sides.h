// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MACRO_FLOW_SIDES_H
#define MOREAU_MACRO_FLOW_SIDES_H

#include "macro/flow/transport.h"

/// What happens to a flow at the sides of the box and at solids. Momenta and masses that are returned are those of all
/// processes, positive where the flow gets them.
namespace moreau::macro
{
/// What enters through sides with inflow.
class Inflow
{
public:
  /// Keeps references to both.
  Inflow(const FlowGrid &grid, const FlowSetting &setting);

  void evaluate(double t);

  const AllSides &values() const { return sides; }
  AllSides        nothing() const; ///< the same where nothing enters

  /// Tangential velocities into the ghosts of U behind the sides, normal ones on sides that no matter has reached. here: the
  /// grid of the arrays; it has all cells at these sides.
  void set_velocities(const FlowGrid &here, const FaceCells &rho_D, FaceCells &U) const;

  /// Longest step in which nothing comes farther than a share cfl of a cell; infinite where nothing enters. Of this process.
  double longest_step(double cfl) const;

  /// On sides where matter enters the velocity is that of the flux, whatever
  /// the pressure; returns the momentum that this gives. here: likewise.
  Vector prescribe(const FlowGrid &here, const CellArray &rho, const FaceCells &flux, const FaceCells &rho_D,
                   FaceCells &momentum) const;

private:
  std::vector<CellIndex> cells_at(int side);
  double                 tangential(int side, int axis, int k, double share_below, double share_above) const;

  const FlowGrid    &grid;
  const FlowSetting &setting;
  AllSides           sides;

  std::array<std::vector<CellIndex>, 6> cells; ///< see cells_at(); they stay the same
};

/// Momentum that walls, solids and changes of the maximal density give (and drag) give under the multiplier q of the impact
/// law: Σ q ∂(response), 0 behind closed faces.
Vector reaction_of_walls(const FlowGrid &grid, const std::array<Vector, 3> &response, const CellArray &q);

/// What arrives at walls and solids stays there and is added to `taken` (density of momentum, along the axis; of all cells,
/// also where those of `grid` are tiles); returns what they give to the flow, which is its negative.
Vector stop_at_closed_faces(const FlowGrid &grid, FaceCells &momentum, FaceCells &taken);

/// Adds to `taken` what pressures give to walls and solids, as a density of momentum: the impulse of p = ρ̄q/h on their
/// faces and, where a cell touches a solid, on open faces beside which ρ̄ changes: its side cuts cells there.
void add_pressure_on_obstacles(const FlowGrid &grid, const CellArray &q, const CellArray &rho_max, FaceCells &taken);

/// Mass that enters through the sides in a step, less what leaves.
double entered_mass(const FlowGrid &grid, const FaceCells &flux, double h);
} // namespace moreau::macro

#endif
