// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MACRO_FLOW_COLOURED_MASS_H
#define MOREAU_MACRO_FLOW_COLOURED_MASS_H

#include "macro/flow/colour.h"
#include "macro/flow/mass_step.h"
#include "macro/flow/sides.h"

namespace moreau::macro
{
/// One step of the densities of all colours: predicted fluxes of each by itself, the smallest π >= 0 that keeps the sum of
/// all below ρ̄, and -∇π shared out among them, Σ_k G_k = Σ_k G*_k - ∇π.
///  - A flux into a cell that others hold and its colour does not (it crosses) is cut to the room that there is when the
///    others have moved: else two edges that meet on a face change places.
///  - What -∇π takes back it takes from crossing fluxes first; what it adds leaves a cell with the shares θ_k, at most what
///    a colour had there at the beginning. So ρ_k >= 0 up to rounding errors.
class ColouredMassStep
{
public:
  /// Keeps references. mass: solves for π.
  ColouredMassStep(const FlowGrid &grid, const FlowSetting &setting, MassStep &mass);

  /// From ρ_k and u_k (ghosts up to date) and the shares of set_shares() to G_k and `after` of each colour, with ghosts; it
  /// gets tiles where matter is passed on farther than through a face.
  /// rho: Σρ_k. flux, after: of all together. What enters has colour 0. Returns what the congestion problem took, as
  /// MassStep::advance().
  convex::Effort advance(std::vector<Colour> &colours, const CellArray &rho, const Inflow &inflow, double h,
                         double speed_scale, FaceCells &flux, CellArray &after);

private:
  void keep_to_room(std::vector<Colour> &colours, double h);
  void cancel(std::vector<Colour> &colours, const FaceCells &flux);
  void pass_on(std::vector<Colour> &colours, double h);
  void pass_on_across_processes(std::vector<CellIndex> cells, std::vector<Colour> &colours, double h);
  bool hears_from(Index cell, const CellArray &waiting) const;
  void send_upwards(const CellArray &passed, std::vector<Colour> &colours) const;
  void pass_on_from(const CellIndex &cell, std::vector<Colour> &colours, double h);
  void visit_around(const CellIndex &cell, Colour &colour) const;
  void visit_across_processes(std::vector<Colour> &colours) const;

  const FlowGrid    &grid;
  const FlowSetting &setting;
  MassStep          &mass;
  MassFlux           mass_flux;
  FaceCells          rest; ///< of -∇π, what no flux was cancelled for
  CellArray          room;

  /// Where matter came from other cells and was passed on, in this step: it is beyond what the colour had tiles for.
  std::vector<std::pair<const Colour *, CellIndex>> far_away;
};
} // namespace moreau::macro

#endif
