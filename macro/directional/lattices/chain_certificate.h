// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MACRO_DIRECTIONAL_LATTICES_CHAIN_CERTIFICATE_H
#define MOREAU_MACRO_DIRECTIONAL_LATTICES_CHAIN_CERTIFICATE_H

#include "macro/directional/lattices/shared_chains.h"
#include "macro/total_bound.h"

/// Total error bounds for cones along orthogonal directions, from cell values and the multipliers between cells.
namespace moreau::macro
{
/// Of two pairs the one with the smaller bound:
///
///   0, cellwise   v = the cell values; p linear in every cell along its direction, constant across: face values
///                 λ_c / |face|. η is |U - cell means of U|: exact where U is constant on cells.
///   1, smooth     v = multilinear interpolation between cell centres, constant in the outer half cells; p quadratic along
///                 its direction with the same face values, joined to the chains beside it as v is.
///
/// Means of monotone chains are monotone and p only has to be continuous along its own direction, so nothing else is
/// demanded across chains.
/// A chain beside a chain counts as far as it exists; where
/// that would spoil a sign, or the two end at quite different places, the chain alone.
///   u       admissible cell values (dim * n_nodes)
///   faces   face_pressures() of multipliers >= 0
///   chains  of `grid`
///   U       integrated by Gauss's rule with 3 points per half cell and direction (2 in space)
///   shared  whose grid and chains these are where processes share them, which call together; else null
/// indicator: per own node.
TotalBound chain_total_bound(const AlignedGrid &grid, const convex::ChainFamilies &chains, const Field &U, const Vector &u,
                             const Eigen::MatrixXd &faces, const SharedChains *shared, const Progress &progress = {});

/// Face values of the pressures on a cell: row 2k and 2k + 1 hold p_k (m²/s) on the lower and the upper face along the axis
/// of e_k; a column per node. Rows of `chains` beyond those of p are left out.
Eigen::MatrixXd face_pressures(const AlignedGrid &grid, const convex::ChainFamilies &chains, const Vector &p);
} // namespace moreau::macro

#endif
