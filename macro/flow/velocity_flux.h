// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MACRO_FLOW_VELOCITY_FLUX_H
#define MOREAU_MACRO_FLOW_VELOCITY_FLUX_H

#include "macro/flow/transport.h"

namespace moreau::macro
{
/// What makes transport_momentum() second order where velocities are smooth: momentum flux F (U_up + α (U_down - U_up))
/// instead of F U_up. The kinetic energy that upwind fluxes lose in a dual cell is the variance of what mixes there; α in
/// [0, 1] is the largest that gives back no more than the share of its face, so that energy never rises, and that leaves
/// velocities between those of neighbours (limits of Zalesak).
class VelocityFlux
{
public:
  /// Corrects momentum as transport_momentum() left it.
  ///   G, U   as it had them; rho_D before: dual densities at the beginning of
  ///   the step; after: at its end; all ghosts up to date
  void correct(const FlowGrid &grid, const FaceCells &G, const FaceCells &U, const FaceCells &before, const FaceCells &after,
               double h, FaceCells &momentum);

private:
  void set_fluxes(const FlowGrid &grid, int axis, const FaceCells &G, const Vector &U, const Vector &after, double h);
  void limit(const FlowGrid &grid, int axis, const Vector &U, const Vector &after);

  FaceCells A; ///< per direction: momentum that goes back from the dual cell below into that at the position
  CellArray low, kept, room_above, room_below;
  CellArray usable; ///< 1 on open faces with matter before and after the step
};
} // namespace moreau::macro

#endif
