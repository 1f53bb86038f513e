// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_CONVEX_SOLVERS_INTERIOR_POINT_ITERATION_H
#define MOREAU_CONVEX_SOLVERS_INTERIOR_POINT_ITERATION_H

#include "convex/solvers/interior_point.h"
#include "convex/factorisation/newton_system.h"
#include "convex/solvers/scaled_problem.h"

#include <memory>
#include <vector>

namespace moreau::convex
{
/// One interior point run on a scaled problem: the iterate (u, p, s), its residuals and Newton steps.
///
/// Rows that are equal, Bu = b, have no slack and a multiplier of any sign, by the proximal method of multipliers: the same
/// formulas with s = 0, p/(s + δp) = 1/δ and no bound on the step.
class InteriorPointIteration
{
public:
  /// equal: per row, or of length 0 where all are inequalities. Keeps a reference to the problem and the parameters.
  InteriorPointIteration(const ScaledProblem &problem, const std::vector<char> &equal,
                         const InteriorPoint::Parameters &parameters);

  /// Slacks and multipliers of equal products, no slack below the size of a velocity.
  void start_cold();

  /// From a guess p_start (scaled): the pair with s - p/ρ = (b - Bu)⁺ - p_start/ρ and equal products ps, as large as the
  /// guess is bad.
  void start_from(const Vector &p_start);

  void evaluate_residuals();

  /// √(2 gap) of (u, p) as if u were feasible: |u - u_p|² + 2<|b - Bu|, |p|>.
  double error_estimate() const;

  /// False where H could not be factorised or the step is not finite.
  bool step();

  /// max |min(p, b - Bu)| as in Certificate, relative to what has to be undone.
  double natural_residual() const;

  /// p grows without limit and U is far from where it pushes to: worth the factorisations of infeasibility().
  bool seems_infeasible(double scale) const;

  /// Whether p has grown so far that K can have next to no interior.
  bool grows() const;

  /// Farkas' certificate that no u is feasible: q with B*q = 0 to rounding and <b,q> < 0, q >= 0 on inequalities; length 0
  /// where p does not lead to one. Precisely: any feasible u would have to be 1e6 times farther from U than `scale`.
  Vector infeasibility(double scale);

  void strengthen_regularization() { delta *= 100.; }

  const Vector &velocity() const { return u; }
  const Vector &multiplier() const { return p; }

private:
  const ScaledProblem             &problem;
  const InteriorPoint::Parameters &parameters;
  const std::vector<char>          equal;
  double                           n_inequalities;
  const PairConstraint            *large_in_space; ///< null: every H is factorised in double precision
  std::unique_ptr<NewtonSystem>    system;
  Vector                           delta;
  Vector                           u, p, s, r_d, du, r_p, w, t, Bv;
  double                           mu = 0., last_alpha = 0., last_estimate = 0., halved_estimate = 0.;
  unsigned int                     n_slow = 0, n_since_halved = 0; ///< steps in a row

  bool is_equal(const Index c) const { return !equal.empty() && equal[c]; }
  /// Of a row in the formulas of a step: its multiplier, or 1 where it is equal and has no slack.
  double factor(const Index c) const { return is_equal(c) ? 1. : p(c); }

  double longest_step(const Vector &dp, const Vector &ds) const;
  double distance_to_feasible(const Vector &q) const;
  void   project_on_kernel(Vector &q);
  void   set_velocity_of(const Vector &multiplier);
  bool   solve(const Vector &r_c, Vector &dp, Vector &ds);
  bool   without_proximal_term(Vector &dp, Vector &ds);
  bool   newton_step();
  bool   spoilt_by_proximal_term();
  void   go_on_in_double_precision();
};
} // namespace moreau::convex

#endif
