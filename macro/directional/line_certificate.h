// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MACRO_DIRECTIONAL_LINE_CERTIFICATE_H
#define MOREAU_MACRO_DIRECTIONAL_LINE_CERTIFICATE_H

#include "macro/directional/aligned_grid.h"
#include "macro/total_bound.h"

namespace moreau::macro
{
/// Total error bound for cones along orthogonal directions on any zone D, the parts of D in cut cells included.
///
/// The law acts on every line of D along a direction by itself: u is the isotonic regression of U on each segment of the
/// line. So are the pressures chosen: on a line the regression z of the means of U over its pieces (half cells, ended by the
/// boundary of D and where U jumps) has the multiplier p(s) = (∫(U - z))⁺, 0 at free ends, and u_p = U - p' is z where
/// p > 0, else U. v is one of
///   0, cellwise   the cell values,
///   1, smooth     linear between cell centres, constant in the outer half cells, as in chain_total_bound(),
/// both monotone on all lines of D. The integrals along lines are those of Gauss's rule with 3 points on every piece, the
/// integrals across those of lines_along(), so that the bound is never guaranteed.
///   u   admissible cell values (dim * n_nodes)
/// indicator: per node.
TotalBound line_total_bound(const Setting &setting, const AlignedGrid &grid, const convex::ChainFamilies &chains,
                            const Vector &u);
} // namespace moreau::macro

#endif
