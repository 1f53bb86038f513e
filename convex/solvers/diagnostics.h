// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_CONVEX_SOLVERS_DIAGNOSTICS_H
#define MOREAU_CONVEX_SOLVERS_DIAGNOSTICS_H

#include "convex/cone_projection.h"

#include <optional>

namespace moreau::convex
{
/// What a given U says about the maximum principle: BU >= 0 implies a p >= 0 with BB*p = BU (BM, def. 3).
enum class MaximumPrinciple
{
  not_applicable, ///< BU < b in some row: U is not pressed everywhere, the principle says nothing about it
  holds,          ///< Bu = b in every row: P_K U is the projection on {Bv = b}, as the principle demands
  fails           ///< Bu < b in some row: some equality multiplier must be negative
};

/// "not applicable", "holds", "fails".
std::string name(MaximumPrinciple maximum_principle);

/// Off-diagonal entries of BB* = B M⁻¹Bᵀ that are positive. Without any the maximum principle holds (BM, fig. 4).
struct PositiveCouplings
{
  Index  n_pairs = 0;  ///< pairs of rows c < d with (BB*)_cd > 0
  double largest = 0.; ///< largest of those entries, relative to √((BB*)_cc (BB*)_dd); 0 without any
};

/// Facts about a problem and its answer. What is empty was not computed: too large, or without meaning here (as what single
/// rows are asked for where rows belong together).
struct Diagnostics
{
  double                adjoint_defect = 0.;  ///< |<Bv,q> - <v,B*q>| / (|Bv||q|) for random v, q: rounding, or a bug
  std::optional<double> orthogonality_defect; ///< |<u, U - u>| / scale²; b = 0 only
  std::optional<double> energy_defect;        ///< ||U|² - |u|² - |U - u|²| / scale²; b = 0 only
  std::optional<Index>  rank_of_B;            ///< dense rank-revealing QR
  std::optional<Index>  dim_kernel_of_B;      ///< n - rank: motions that no contact feels
  std::optional<Index>  dim_kernel_of_Bstar;  ///< m - rank: 0 where every p is unique, whatever U
  std::optional<PositiveCouplings> positive_couplings;   ///< B with known entries and lumped masses only
  std::optional<MaximumPrinciple>  maximum_principle;    ///< for this U
  std::optional<bool>              multiplier_is_unique; ///< for this U
  std::optional<double>            gamma_at_least;       ///< of the rows of B, see positive_independence(); may be infinite
  std::optional<double>            gamma_at_most;        ///< likewise
  std::optional<Index>             n_rigid_rows;         ///< that no admissible velocity opens, where a solver looked
};

/// Largest of n and m up to which dense factorisations are made: about a second.
constexpr Index dense_limit = 1000;

/// All diagnostics that are affordable: dense ones up to max(n, m) = limit where one process has all, the others in
/// O(non-zeros). Processes that share a problem call it together.
Diagnostics diagnose(const ProjectionProblem &problem, const SaddlePoint &x, Index limit = dense_limit);

/// |<Bv,q> - <v,B*q>| / (|Bv||q|) for pseudo-random v and q, always the same ones; 0 without rows.
double adjoint_defect(const ProjectionProblem &problem);

/// Rank of B, by column-pivoted QR of its rows, each scaled to length 1. Costs O(n m min(n, m)).
Index rank(const ProjectionProblem &problem);

/// Counts positive entries of BB* above the diagonal, row by row without
/// storing BB*; entries below 1e-10 of the diagonal are rounding.
/// Empty where B has no known entries or the space is not diagonal.
std::optional<PositiveCouplings> positive_couplings(const ProjectionProblem &problem);

/// Tests the maximum principle on U. Since U - u = B*p is orthogonal to ker B, P_C U = P_{ker B} U exactly where Bu = 0:
/// no second projection is needed. Rows count as pressed or kept up to the error bound of u.
MaximumPrinciple test_maximum_principle(const ProjectionProblem &problem, const SaddlePoint &x);

/// Whether x.p is the only multiplier. Another one is p + q with Bᵀq = 0, q = 0 on rows with slack and q >= 0 where p = 0.
/// Rows are sorted by p against b - Bu up to the natural residual of x; dense, small problems.
bool is_multiplier_unique(const ProjectionProblem &problem, const SaddlePoint &x);
} // namespace moreau::convex

#endif
