// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MACRO_DIVERGENCE_CONSTRAINT_H
#define MOREAU_MACRO_DIVERGENCE_CONSTRAINT_H

#include "convex/cone_projection.h"
#include "macro/box_grid.h"

/// The isotropic cone on a staggered grid (lowest-order Raviart-Thomas with a lumped mass, MAC): normal velocities on faces, pressures in cells.
///
///     (Bv)_c = - Σ_faces ± |f| v_f / L^{d-1}      for saturated cells c,      L = |c|^{1/d},         (BM, eq. 14)
///     (Bv)_f = ± v_f                              for wall faces f (v·n <= 0),
///     <u,v>  = Σ_f m_f u_f v_f,   m_f = θ_f |c|: θ = 1 between two saturated cells, 1/2 where p = 0 on the face or it is a wall.
/// Rows are velocities (m/s); the multiplier of a cell is p_c L^{d-1}, that of a wall face p_f |f|. With these masses B*p is the two-point
/// gradient with p = 0 (or p_f) half a cell from the centre, and BB* is the 5-point (7-point) M-matrix.
///
/// Unknowns: the faces of saturated cells, axis by axis, i fastest; then, in parallel, each process holds the faces with own layers, and of
/// those between two processes the one above holds them. Constraints: saturated own cells, i fastest, then wall faces.
namespace moreau::macro
{
class DivergenceConstraint;

/// What stands behind the coefficients.
class StaggeredProblem
{
public:
  /// theta: m_f / |c| where it differs from the rule above (a shape whose boundary cuts the links between centres), else null; entries <= 0 follow the rule.
  explicit StaggeredProblem(const BoxZone &zone, const FaceArrays *theta = nullptr);
  ~StaggeredProblem();

  /// Projection of the velocity with these face means. Its B is a DivergenceConstraint, its V reduces over processes, its repair is
  /// repaired_fluxes of box_certificate.h.
  convex::ProjectionProblem projection_problem(const FaceArrays &U) const;

  /// Coefficients -> faces (all of them, both sides of process borders); faces outside the zone keep what `outside` has.
  FaceArrays     faces(const convex::Vector &u, const FaceArrays &outside) const;
  convex::Vector coefficients(const FaceArrays &u) const;

  /// Multipliers -> pressures p_c = multiplier / L^{d-1}, ghosts up to date, 0 outside the zone; and p_f on wall faces.
  CellArray      cell_pressures(const convex::Vector &p) const;
  FaceArrays     wall_pressures(const convex::Vector &p) const;
  convex::Vector multipliers(const CellArray &p, const FaceArrays &p_wall) const;

  const BoxZone &zone() const;

private:
  std::shared_ptr<const DivergenceConstraint> B;
};
} // namespace moreau::macro

#endif
