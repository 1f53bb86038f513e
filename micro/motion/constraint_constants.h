// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MICRO_MOTION_CONSTRAINT_CONSTANTS_H
#define MOREAU_MICRO_MOTION_CONSTRAINT_CONSTANTS_H

#include "convex/cone_projection.h"
#include "micro/motion/mechanical_system.h"

namespace moreau::micro
{
/// Constraints g_i that are almost active, in coordinates in which the metric of the masses is the Euclidean one.
struct ActiveConstraints
{
  convex::SparseConstraint::Matrix rows;      ///< ∇g_i
  Vector                           speed;     ///< ∂_t g_i
  Vector                           curvature; ///< |D²g_i|
  Vector                           inwards;   ///< largest eigenvalue of D²g_i, at least 0: what makes Q not convex there
};

/// Those with g_i <= ρ_i = h (|∇g_i| |u| + |∂_t g_i|) at the end of a step: what another step could reach.
/// Throws InputError where differences reach beyond where constraints are defined.
ActiveConstraints active_constraints(const MechanicalSystem &system, const Motion &motion);

/// The constants of the constraints that theorems on convergence name, as far as a motion has met them: at the ends of
/// steps, of the constraints that are almost active, I_ρ. Of places where the motion was not they say nothing: what a
/// theorem needs is no better than they are. All lengths and gradients in the metric of M(q), in which the schemes project:
/// m √kg and 1/√kg where q is in m.
class ConstraintConstants
{
public:
  /// A step has ended.
  void see(const ActiveConstraints &active);

  void leave_out() { ++n_left_out; } ///< A step has ended at which nobody looked at the constraints.

  std::int64_t n_states() const { return n; } ///< steps at whose end a constraint was almost active; 0: nothing is known
  std::int64_t left_out() const { return n_left_out; }

  double alpha() const { return least_gradient; }     ///< smallest |∇g_i| (BL A1, BV A1)
  double beta() const { return most_gradient; }       ///< largest |∇g_i|, |∂_t g_i| (A1, A2)
  double curvature() const { return most_curvature; } ///< M: largest |D²g_i| (BL A4, BV A3)
  double gamma() const { return most_gamma; }         ///< (BL A6, BV R_ρ); infinite: gradients cancel each other

  /// a = γ/|∇g_i|: λ_i <= a |Σ λ_j ∇g_j| (BL, Lemma 4.2).
  double multiplier_bound() const { return most_a; }
  /// c₀ = γ |∂_t g_i|/|∇g_i| (BL, Lemma 2.2; BV (8)), m √kg/s.
  double speed_of_set() const { return most_c0; }
  /// η = α/(Mγ) with the curvature that bends inwards alone, so that it is infinite where Q is convex (BV, Theorem 4.1).
  double prox_regularity() const { return least_eta; }

  Vector state() const;
  void   restore(const Vector &state); ///< Throws std::invalid_argument where it is none.

private:
  std::int64_t n = 0, n_left_out = 0;
  double       least_gradient = 0., most_gradient = 0., most_curvature = 0., most_gamma = 0., most_a = 0., most_c0 = 0.,
         least_eta = 0.;
};

/// The a-priori bound of scheme C (DMP, Lemma 1): |u_n|_M <= θ(t_n) and |q_n - q_0| <= R until τ,
///     θ' = k₁ θ² + k₂,   θ(0) = |u_0|_M,   k₁ = L/α,   k₂ = C_f/√α,
/// τ the time with θ(τ) = R, at most √α and the time that is asked for, with α <= M <= β, L the Lipschitz constant
/// of M^{1/2} and C_f = sup |f(t, q, Mv)| over |q - q_0| <= R, |v| <= R/√α. These are the largest of a few hundred
/// samples, no bounds; R is the one of a row of candidates for which τ is largest.
struct AprioriBound
{
  double R = 0., alpha = 0., L = 0., C_f = 0., speed = 0.; ///< speed: |u_0|_M
  double tau = 0.;                                         ///< s; 0: none was found

  double theta(double t) const; ///< infinite from where it blows up
};

/// Of the motion from the system's initial state until time T > 0. None (tau = 0) where constraints move, which (DMP) has
/// not, and for more than six coordinates.
AprioriBound apriori_bound(const MechanicalSystem &system, double T);
} // namespace moreau::micro

#endif
