// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_CONVEX_CERTIFICATE_H
#define MOREAU_CONVEX_CERTIFICATE_H

#include "convex/cone_projection.h"

#include <utility>

namespace moreau::convex
{
/// Residuals, gap and error bound of (u, p): the one judge of every solver.
///
/// For any v with Bv <= b and any p >= 0, with u_p = U - B*p,
///     gap(v,p) = ½|v - u_p|² + <b - Bv, p> >= 0,      |v - u*|² + |u_p - u*|² <= 2 gap(v,p),      u* = P_K U.
/// v is u, repaired along problem.expansion part by part where u violates a row. The bound for u itself adds |u - v|.
/// Evaluation errors are part of the bound: ε‖p‖₁ max|v| is added to the gap.
///   u   length n;  p   length m, entries below zero are cut off (and reported as dual_infeasibility)
///   guaranteed is false where u violates a row that no expansion repairs: then the bound ignores that row.
Certificate certify(const ProjectionProblem &problem, const Vector &u, const Vector &p);

/// The numbers of a certificate by the names that summary.json and Python give them, in their order; `guaranteed` and
/// `demanded` apart.
std::vector<std::pair<std::string, double>> named_numbers(const Certificate &certificate);

/// What problem.repair makes of u, or u; then what is nearest to it along problem.expansion with Bv <= b exactly in floating
/// point (each part scaled by the smallest t >= 0 that repairs its worst row).
/// `feasible` says whether every row could be repaired.
Vector feasible_companion(const ProjectionProblem &problem, const Vector &u, bool &feasible);

/// ‖B‖ from V to Euclidean ℝᵐ: √λ_max(B M⁻¹Bᵀ), by power iteration, within about 5 % from above.
double operator_norm(const ProjectionProblem &problem);

/// max(‖U - mean U‖, ‖(B mean U - b)⁺‖/‖B‖): what "relative"
/// means, in every frame. 0 only where u = U and p = 0 solve the problem.
double relative_scale(const ProjectionProblem &problem);

/// max(max|U - mean U|, max (B mean U - b)⁺): what speeds are relative to in a certificate (m/s).
double typical_speed(const ProjectionProblem &problem);

/// max (Bv - b)⁺: how fast the worst row approaches (m/s); 0 where v is admissible.
double approach_speed(const ProjectionProblem &problem, const Vector &v);

/// W_cc (m), the diagonal of the Delassus operator W = B M⁻¹Bᵀ, 1/kg: half of it turns an impulse into a velocity. Ones
/// where neither B knows it nor the entries of B and a diagonal V tell.
Vector delassus_diagonal(const ProjectionProblem &problem);

/// Does p prove that K is empty (Farkas)? p >= 0, B*p = 0 up to rounding,
/// <b,p> < 0: every v with Bv <= b would have to satisfy
/// -<b,p> <= -<Bv,p> <= |v| |B*p|, that is, be 1e6 times larger than the data.
bool proves_infeasible(const ProjectionProblem &problem, const Vector &p);

/// Sets x.certificate, and x.status to converged where the criterion is met. A claim of infeasibility that p does not prove
/// becomes `stagnated`.
/// Leaves another status in place where it does not.
void judge(const ProjectionProblem &problem, const StoppingCriterion &criterion, SaddlePoint &x);
} // namespace moreau::convex

#endif
