// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_CONVEX_SOLVERS_PROJECTED_GRADIENT_H
#define MOREAU_CONVEX_SOLVERS_PROJECTED_GRADIENT_H

#include "convex/cone_projection.h"

#include <limits>
#include <memory>

namespace moreau::convex
{
/// First-order methods for the dual problem
///     min { ½|U - B*p|² + <b,p> : p >= 0 },        gradient  b - Bu,   u = U - B*p,
/// one stage at a time: accelerated projected gradient with restart, and conjugate gradients on the face {p > 0}.
/// Needs B and Bᵀ only. Fast where B is a PairConstraint and V a DiagonalSpace of the same nodes: rows are then renumbered
/// for locality and worked on by several threads, with results that do not depend on their number.
/// Work is counted in passes: one product with B and one with Bᵀ. Velocities are kept in the frame of mean U.
class ProjectedGradientIteration
{
public:
  /// Copies what it needs; 30 passes of a power iteration give the step length.
  explicit ProjectedGradientIteration(const ProjectionProblem &problem);
  ~ProjectedGradientIteration();

  /// Continues from p (negative entries are cut off), or from 0 where is_start(p, m) is false. Forgets momentum and history.
  void start(const Vector *p = nullptr);

  /// Passes of the accelerated gradient; the momentum of a preceding call is kept if nothing else came between.
  /// Ends early where the natural residual, looked at every 20 passes, reaches `target`. Returns the last residual seen.
  double accelerated_gradient(unsigned int passes, double target = 0.);

  /// At most max_steps conjugate gradient steps, or until the residual has fallen by `reduction`, for the least dual value
  /// with {p > 0} kept; then p moves along the projected arc to the first of t = 1, .4, .16, ... that lowers the dual value.
  /// Returns whether p moved. Costs one pass per step and half a pass per t.
  bool face_conjugate_gradients(unsigned int max_steps = 50, double reduction = .1);

  /// max |min(p, b - Bu)| / max|U - mean U| for u = U - B*p, p scaled to a velocity by W_cc/2 (as in Certificate). One pass.
  double natural_residual();

  /// What advance() works for.
  struct Goal
  {
    double       natural_residual = 0.;
    unsigned int max_passes       = std::numeric_limits<unsigned int>::max(); ///< counted from the last start
    unsigned int stall_passes     = 300; ///< stalled: the residual has not been halved in so many passes; 0: never
    Watch        watch            = {};  ///< told the natural residual and the one worked for
  };

  enum class Outcome
  {
    residual_met,
    stalled,
    pass_limit,
    infeasible ///< infeasibility() says why
  };

  /// Gradient projection and conjugate gradients in turn (GPCG): 150 accelerated passes, then conjugate gradients and
  /// 40 ... 4000 accelerated passes again and again, more where the residual
  /// falls slowly. Can be called again with another goal.
  Outcome advance(const Goal &goal);

  Vector p() const; ///< multipliers (m), p >= 0, in the order of the rows of B
  Vector u() const; ///< U - B*p (n)

  /// Where K is empty: q >= 0 with B*q = 0 to rounding and <b,q> < 0, largest entry 1 (Farkas); else length 0.
  /// Precisely: every v with Bv <= b would have to be 1e6 times larger than the data.
  const Vector &infeasibility() const;

  unsigned int passes() const;     ///< since the last start
  double       step_bound() const; ///< bound of λ_max(W) for W scaled to W_cc = 2

  class Implementation;

private:
  std::unique_ptr<Implementation> implementation;
};

/// Stand-alone projector: advances until the certificate is met, rounding or a cap stops it.
/// A certified bound of 1e-6 needs natural residuals near 1e-12: where only u matters, stop on the natural residual.
class ProjectedGradient : public ConeProjector
{
public:
  struct Parameters
  {
    unsigned int stall_passes = 5000; ///< `stagnated` once the natural residual has not been halved in so many passes
  };

  explicit ProjectedGradient(const StoppingCriterion &criterion) : criterion(criterion) {}
  ProjectedGradient(const StoppingCriterion &criterion, const Parameters &parameters)
      : criterion(criterion), parameters(parameters)
  {}

  /// Any B and any V. n_iterations are passes, at most criterion.max_iterations and the few that complete a step.
  SaddlePoint project(const ProjectionProblem &problem, const Vector *p_start = nullptr) const override;

private:
  StoppingCriterion criterion;
  Parameters        parameters;
};
} // namespace moreau::convex

#endif
