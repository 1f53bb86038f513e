// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MACRO_FLOW_FULL_ZONE_H
#define MOREAU_MACRO_FLOW_FULL_ZONE_H

#include "convex/cone_projection.h"
#include "macro/flow/transport.h"

namespace moreau::macro
{
/// The cone of the impact law of a flow: velocities that compress no cell of the full zone,
///     (Bv)_c = -h div(ρ̄v) <= 0 in cells c of the zone (m/s), h the shortest side of a cell,
///     <u,v>  = Σ_f m_f u_f v_f,    m_f = |c| ρ_D ρ̄/r,    r as the response of apply_impact_law().
/// A multiplier p is that of ρ_D u⁺ = ρ_D u⁻ - r∇q with q = p h/|c| (m²/s). Where ρ_D = 0 on an open face between two cells
/// of the zone the two are one: they have one row, the sum of both, and one q.
///
/// Unknowns: open faces of the zone with ρ_D > 0 that this process computes, axis by axis, i fastest. Rows: own cells of the
/// zone, i fastest, joined ones where the first of them stands. Not for several threads at once.
class FullZone : public convex::ConstraintOperator
{
public:
  /// inside: 1 in the zone, 0 elsewhere; it and rho_D with ghosts up to date. Keeps a reference to the grid.
  /// Throws std::invalid_argument where ρ_D = 0 on an open face of the zone to a cell outside, and, on several processes,
  /// on any open face of the zone.
  FullZone(const FlowGrid &grid, const CellArray &inside, const FaceCells &rho_D, const std::array<Vector, 3> &response);

  Index  n_constraints() const override { return W.size(); }
  Index  n_unknowns() const override { return a.size(); }
  void   apply(const Vector &v, Vector &Bv) const override;
  void   apply_transpose(const Vector &q, Vector &Btq) const override;
  Vector delassus_diagonal(const convex::VelocitySpace &) const override { return W; }

  const FlowGrid  &flow_grid() const { return grid; }
  const CellArray &inside() const { return zone; }      ///< 1 in the zone, 0 elsewhere; ghosts up to date
  const FaceCells &mobility() const { return weights; } ///< ρ̄ r/ρ_D on open faces of the zone, else 0; ghosts up to date
  double           shortest_side() const { return side; } ///< h

  Vector coefficients(const FaceCells &u) const;                  ///< u on the faces of unknowns
  Vector rows(const CellArray &values) const;                     ///< values in the cells of rows
  void   scatter(const Vector &of_rows, CellArray &values) const; ///< the other way; other cells stay what they are
  /// The same for what adds up over joined cells: the first of them gets it, the others 0.
  void scatter_sums(const Vector &of_rows, CellArray &values) const;
  /// v + what more flux through faces makes of it. more: in units of Bv, as FaceCells.
  Vector with_flux(const Vector &v, const FaceCells &more) const;

  /// P_K U in the metric of the masses m, with B = *zone and a Drainage for its repair.
  static convex::ProjectionProblem problem(const std::shared_ptr<const FullZone> &zone, Vector U);

private:
  void number_rows();

  const FlowGrid      &grid;
  CellArray            zone;
  FaceCells            weights;
  double               side;
  std::array<Index, 4> begin = {0, 0, 0, 0}; ///< unknowns of an axis
  std::vector<int>     faces, cells;         ///< positions in a CellArray
  std::vector<int>     row_of;               ///< per entry of `cells`
  Vector               a, m, W;              ///< entries of B; masses; diagonal of B M⁻¹Bᵀ
  mutable FaceCells    flux;                 ///< of apply(); 0 on all other faces
  mutable CellArray    of_cells;             ///< of apply_transpose(); 0 in all other cells
};
} // namespace moreau::macro

#endif
