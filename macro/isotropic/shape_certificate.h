// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MACRO_ISOTROPIC_SHAPE_CERTIFICATE_H
#define MOREAU_MACRO_ISOTROPIC_SHAPE_CERTIFICATE_H

#include "macro/isotropic/shape_pressure.h"

namespace moreau::macro
{
/// v and p that are admissible on a zone whose boundary cuts cells, and what they prove.
struct ShapePair
{
  CellArray                              q; ///< coefficients of p/w
  std::unique_ptr<BoxPressure>           p; ///< refers to the ShapeFunction it was made with
  std::unique_ptr<ReconstructedVelocity> v; ///< on zone.touched
  TotalBound                             bound;
};

/// What the solver found on the cells inside.
struct StaggeredSolution
{
  FaceArrays U, u;   ///< means on faces; outside both are those of U
  CellArray  p;      ///< 0 outside zone.inside
  FaceArrays p_wall; ///< on wall faces
};

/// q = p/w, and v: the solver's means on faces well inside, those of U - ∇(wq) continued across the boundary near it,
/// corrected by one linear solve so that div v = 0 in cells with pressure and div v >= 0 in all others. Then q is fitted to
/// v near the boundary, and kept where that lowers the bound.
ShapePair shape_pair(const ShapeFunction &w, const ShapeZone &zone, const Field &U, const StaggeredSolution &x,
                     const Progress &progress = {});
} // namespace moreau::macro

#endif
