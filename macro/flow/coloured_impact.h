// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MACRO_FLOW_COLOURED_IMPACT_H
#define MOREAU_MACRO_FLOW_COLOURED_IMPACT_H

#include "macro/flow/colour.h"
#include "macro/flow/impact_stage.h"

namespace moreau::macro
{
/// The impact law of a flow of several colours: that of apply_impact_law() for the volume Φ = Σ_k θ_k v_k that passes a
/// face, v_k the velocity of what moves with it, of mass m̃_k (the dual mass of the face and of those that it leads):
///     u_k⁺ = u_k⁻ - (θ_k/m̃_k) ∇q,    -div Φ <= 0 and q >= 0 in full cells, complementary (e = 0),
/// the projection on { -div Φ <= 0 } in Σ_k m̃_k |v_k|²: for Φ one with the mass 1/Σ_k(θ_k²/m̃_k) on faces. Energy cannot
/// rise, momentum is kept since Σθ = 1. Where no colour holds a face of a full cell the masses that move by themselves
/// there, crumbs apart, share it; where there are none (one body ends where the next one begins) two full cells are one,
/// and a full cell with nothing behind is pressed by nobody. Drag that is taken implicitly divides what an impulse does:
/// m̃_k (1 + h k_k).
class ColouredImpact
{
public:
  explicit ColouredImpact(const FlowGrid &grid);

  /// What moves together gets the velocity of its common momentum, by the leaders that there are; m_k, M_k, and u_k as in
  /// apply(). Sets m̃_k.
  void lead(std::vector<Colour> &colours);

  /// Ghosts of ρ_k, Σρ_k = rho and m_k up to date; sets shares and leaders. Momenta and velocities (with ghosts) become
  /// those after the law; a face that is led has the velocity of its leader. q as in apply_impact_law().
  FlowImpact apply(std::vector<Colour> &colours, const CellArray &rho, const CellArray &rho_max, const ImpactLaw &law,
                   CellArray &q);

  /// What of -∇q becomes momentum, drag taken off, on faces: as the response of apply_impact_law().
  const std::array<Vector, 3> &response() const { return given; }

private:
  void           join(std::vector<Colour> &colours);
  void           leave_free_cells(CellArray &zone) const;
  convex::Effort settle_light_faces(const CellArray &zone, const ImpactLaw &law, const CellArray &q);
  void           follow(Colour &colour, int axis) const;

  const FlowGrid       &grid;
  std::array<Vector, 3> given;          ///< see response()
  FaceCells             mass, momentum; ///< of Φ; mass 0: nothing is in the way of the cells on both sides
};
} // namespace moreau::macro

#endif
