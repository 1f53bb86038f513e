// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MACRO_DIRECTIONAL_LATTICES_LINE_CERTIFICATE_H
#define MOREAU_MACRO_DIRECTIONAL_LATTICES_LINE_CERTIFICATE_H

#include "macro/directional/lattices/shared_chains.h"
#include "macro/total_bound.h"

namespace moreau::macro
{
/// Total error bound for cones along orthogonal directions on any zone D, the parts of D in cut cells included.
///
/// The law acts on every line of D along a direction by itself: u is the isotonic regression of U on each segment of
/// the line. So are the pressures chosen: on a line the regression z of the means of U over its pieces (half cells,
/// ended by the boundary of D and where U jumps) has the multiplier p(s) = (∫(U - z))⁺, 0 at free ends, and u_p = U -
/// p' is z where p > 0, else U. v is one of
///   0, cellwise   the cell values,
///   1, smooth     linear between cell centres, constant in the outer half cells, as in chain_total_bound(),
/// both monotone on all lines of D; 0 where walls cut cells, as the other does not stop there. At such a wall B*p
/// must have no singular part: its traction Σ p_k (e_k·n) e_k is q n where all p_k are q. So q is the impulse over
/// the area of the wall, averaged over neighbouring cells, and on lines that end there p begins or ends with this q:
/// the regression is that of U with these impulses. η² has -2∫q v·n besides. The integrals along lines are those of
/// Gauss's rule with 3 points on every piece, the integrals across those of lines_along(), so that the bound is never
/// guaranteed.
///   u         admissible cell values (dim * n_nodes)
///   at_walls  multipliers of grid.on_walls
///   shared    whose grid and chains these are where processes share them, which call together; else null
/// indicator: per own node.
TotalBound line_total_bound(const Setting &setting, const AlignedGrid &grid, const convex::ChainFamilies &chains,
                            const Vector &u, const Vector &at_walls, const SharedChains *shared,
                            const Progress &progress = {});
} // namespace moreau::macro

#endif
