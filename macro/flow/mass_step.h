// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MACRO_FLOW_MASS_STEP_H
#define MOREAU_MACRO_FLOW_MASS_STEP_H

#include "macro/obstacle/solver.h"
#include "macro/flow/transport.h"

#include <vector>

namespace moreau::macro
{
/// One step of the density: predicted mass fluxes G*, the smallest π >= 0 with ρ - h div(G* - ∇π) <= ρ̄, and G = G* -
/// ∇π. Then 0 <= ρ - h div G <= ρ̄ to rounding errors.
class MassStep
{
public:
  /// Keeps references to both.
  MassStep(const FlowGrid &grid, const FlowSetting &setting);

  /// rho, U: ghosts up to date. flux becomes G, after ρ at the end of the step, both with ghosts. Returns what congestion
  /// problems took, with the status of the last one and its natural residual, relative to the fastest flux.
  ///   speed_scale  largest speed of the run: a flux that is a rounding error of it is none to be relative to
  convex::Effort advance(const CellArray &rho, const FaceCells &U, const AllSides &inflow, double h, double speed_scale,
                         FaceCells &flux, CellArray &after);

  /// The same from what is in predicted(), with ghosts up to date, and without a pull on less full cells behind full ones.
  convex::Effort congest(const CellArray &rho, double h, double speed_scale, FaceCells &flux, CellArray &after);

  FaceCells       &predicted() { return G; } ///< G*
  const FaceCells &predicted() const { return G; }

  CellArray              &impulse() { return pi; } ///< π: where the next solve begins
  const CellArray        &impulse() const { return pi; }
  const CongestionSolver &solver() const { return congestion; }
  CongestionSolver       &solver() { return congestion; }

private:
  /// A face between a full cell and a less full one behind it: see draw().
  struct DrawnFace
  {
    int    axis;
    Index  face, donor;
    double flux; ///< without being drawn
  };

  void   draw(const CellArray &rho, const FaceCells &U);
  bool   undraw(const CellArray &rho, const FaceCells &flux, double h);
  void   fill_holes(const CellArray &rho, double h, FaceCells &flux, CellArray &after);
  double left_in(const CellArray &rho, const FaceCells &flux, Index cell, double h) const;
  void   divergence_step(const CellArray &rho, const FaceCells &mass, double h, CellArray &result) const;
  double speed_of_flux() const;
  void   solve(const CellArray &rho, double h, double speed_scale, FaceCells &flux, CellArray &after);

  const FlowGrid    &grid;
  const FlowSetting &setting;
  MassFlux           mass_flux;
  CongestionSolver   congestion;
  CellArray          pi, f;
  FaceCells          G;      ///< predicted
  convex::Effort     effort; ///< of this step

  std::vector<DrawnFace> drawn;
};
} // namespace moreau::macro

#endif
