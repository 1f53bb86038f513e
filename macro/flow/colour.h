// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MACRO_FLOW_COLOUR_H
#define MOREAU_MACRO_FLOW_COLOUR_H

#include "macro/flow/transport.h"

#include <vector>

/// Flows whose bodies keep their velocity: several (ρ_k, M_k, u_k) on one grid under one pressure, Σρ_k <= ρ̄. Colour 0 is
/// the mixture, all matter that is no body; every other colour holds bodies that are far from each other. Letters: m_k is
/// the ρ_D of a colour; θ_k its share of a face, Σθ = 1 where any colour holds the face.
namespace moreau::macro
{
/// The matter of one colour.
struct Colour
{
  explicit Colour(const FlowGrid &grid);

  CellArray rho, after; ///< ρ_k; `after` at the end of a step
  FaceCells momentum, velocity, mass, mass_before;
  FaceCells resistance; ///< 1 + h k, k the rate of drag in this step: what an impulse is divided by
  FaceCells pushed;     ///< what the force gave in this step, a density of momentum
  FaceCells flux;       ///< G_k, mass flux of the last step
  FaceCells share;      ///< θ_k; 0 where the colour does not hold the face
  FaceCells leader;     ///< +1, -1: the face moves with the next one above, below; 0: it moves by itself
  FaceCells crossing;   ///< 1 where the flux of this step leads into a cell that others hold and this colour does not

  /// Nothing of it is anywhere, and nothing enters: all of the above is 0, and steps pass it over.
  bool is_empty = false;

  /// m_k and u_k from ρ_k and M_k; ghosts of ρ_k up to date.
  void find_velocities(const FlowGrid &grid);

  /// Sets is_empty; all processes call. enters: whether matter of this colour may come through the sides.
  void find_whether_empty(const FlowGrid &grid, bool enters);
};

/// Shares and leaders from densities (ghosts up to date). A colour holds a face where it is on both sides: c_k, the smaller
/// of the two densities, above 1e-9 (1e-6 beyond the line) and 1 % of what all have; θ_k = c_k / Σc. A face that is not
/// held is the outer face of a body if the next face on the side of its fuller cell is held: it moves with that one.
void set_shares(const FlowGrid &grid, std::vector<Colour> &colours);

/// Σ_k ρ_k and Σ_k M_k. Ghosts of rho become up to date.
void add_up(const FlowGrid &grid, const std::vector<Colour> &colours, CellArray &rho, FaceCells &momentum);
} // namespace moreau::macro

#endif
