// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_CONVEX_SOLVERS_POSITIVE_INDEPENDENCE_H
#define MOREAU_CONVEX_SOLVERS_POSITIVE_INDEPENDENCE_H

#include "convex/cone_projection.h"

namespace moreau::convex
{
/// How far vectors a_i are from a nonnegative combination that vanishes: the least γ with
///     Σ λ_i |a_i| <= γ |Σ λ_i a_i|   for all λ >= 0                              [BL (A6), BV (R_ρ)]
/// where a_i are the gradients of the active constraints. 1/γ is the distance of 0 from the convex hull of a_i/|a_i|, and
/// the direction v of its nearest point opens them all at once: a_i·v >= |a_i|/γ, the "good direction" of (BL, Lemma 3.1).
/// γ >= 1. It is infinite exactly where some λ >= 0, λ ≠ 0 has Σ λ_i a_i = 0, a self-stress: then multipliers are
/// not bounded by what they balance (BM, Lemma 1 and Prop. 2).
struct PositiveIndependence
{
  double gamma_at_least = 1.; ///< from `weights`; infinite where their combination is a rounding error
  double gamma_at_most  = 1.; ///< from `good_direction`; infinite where it does not open every row
  Vector weights;             ///< λ_i |a_i|, of sum 1
  Vector good_direction;      ///< v, of length 1

  /// The lower one, which is γ but for rounding, where both agree to 1e-6; the upper one elsewhere, which is a bound.
  double gamma() const;
  /// Whether the weights are a self-stress.
  bool is_dependent() const;
};

/// rows: a_i in coordinates in which the metric is the Euclidean one; rows that vanish are left out. Without rows γ = 1.
/// A least-squares problem with λ >= 0, solved as a projection to rounding.
PositiveIndependence positive_independence(const SparseConstraint::Matrix &rows);

/// The same for the rows of a problem, a_i = -M⁻¹ b_i in the metric of its space, so that v opens contacts.
/// Empty where B has no known entries or the space is not diagonal.
std::optional<PositiveIndependence> positive_independence(const ProjectionProblem &problem);
} // namespace moreau::convex

#endif
