// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MACRO_ISOTROPIC_SHAPE_PRESSURE_H
#define MOREAU_MACRO_ISOTROPIC_SHAPE_PRESSURE_H

#include "macro/isotropic/box_certificate.h"
#include "macro/isotropic/shape_zone.h"

namespace moreau::macro
{
/// p = w q: w vanishes exactly on the boundary of the zone and q >= 0 is a
/// spline, so p is admissible although the boundary cuts cells.
/// evaluate() gives p = (w q)⁺, which is 0 outside the zone, but ∇(w q) without the cut: its smooth continuation. So
/// integrals of |v - (U - ∇p)|² over whole cells, which need no quadrature on pieces of cells, bound those over the zone
/// from above and stay small where v is the continuation of U - ∇p, too.
class ShapePressure : public BoxPressure
{
public:
  /// q: coefficients >= 0, ghosts up to date.
  ShapePressure(const ShapeFunction &w, const CellArray &q) : w(w), q(q) {}

  void evaluate(const CellIndex &cell, const Eigen::MatrixXd &xi, Vector &p, Eigen::MatrixXd &gradient) const override;

private:
  const ShapeFunction &w;
  CellArray            q;
};

/// Coefficients of q: p/w in cells at least one cell away from the boundary, its linear continuation in those nearer and
/// outside (there p/w magnifies the errors of p), at least 0.
///   p       cell pressures, 0 outside zone.inside
///   p_wall  on wall faces
CellArray quotient(const ShapeFunction &w, const ShapeZone &zone, const CellArray &p, const FaceArrays &p_wall);

/// q with the coefficients near the boundary moved so that U - ∇(wq) fits v:
/// a few steps of conjugate gradients on ∫|v - U + ∇(wq)|².
CellArray fitted(const ShapeFunction &w, const ShapeZone &zone, const CellArray &q, const Field &U,
                 const ReconstructedVelocity &v);
} // namespace moreau::macro

#endif
