// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_CONVEX_SOLVERS_LEAST_RELAXATION_H
#define MOREAU_CONVEX_SOLVERS_LEAST_RELAXATION_H

#include "convex/constraint_operator.h"
#include "convex/factorisation/bordered_system.h"

#include <limits>

namespace moreau::convex
{
/// The linear program and its dual
///     t* = min { t : Bw <= b + t l for some w }  =  max { -<b, p> : p >= 0, Bᵀp = 0, <l, p> = 1 },      l > 0:
/// by how much the rows of a cone must give way until something is admissible, and the stress that says why.
struct Relaxation
{
  double lower = 0.; ///< <= t*: -<b, p> less `imbalance`
  double upper = 0.; ///< >= t*, exactly: max over rows of (Bw - b)/l
  Vector p;          ///< m, >= 0, <l, p> = 1
  Vector w;          ///< n
  /// Of the last iterate, in the middle of all that are as good: rows that some p presses are pressed, others have room.
  Vector       p_central, w_central;
  double       imbalance    = 0.;    ///< |Bᵀp|₁ max|w| of all w on the way, what is left of the balance, in units of t
  bool         unbounded    = false; ///< upper is below what the caller said no stress allows: there is none, t* = -∞
  bool         converged    = false; ///< upper - lower is within the tolerance, or unbounded
  unsigned int n_iterations = 0;     ///< factorisations
};

/// Solves it for one B and l and several b: the pattern is analysed once. An interior point, Mehrotra's predictor and
/// corrector, with H = BᵀWB + ε of one fixed pattern, bordered by l.
class LeastRelaxation
{
public:
  /// Keeps references to both. Throws std::invalid_argument where l is not positive or not of length m >= 1.
  LeastRelaxation(const SparseConstraint &B, const Vector &l);

  /// least: no p gives less than this; an admissible w with a smaller t proves that there is no p.
  /// separation: where it is given, <s, p> of the last iterate is not above it, so that rows that some p presses and rows
  /// that some w gives room are told apart.
  Relaxation solve(const Vector &b, double least, double tolerance, unsigned int max_iterations = 100,
                   double separation = std::numeric_limits<double>::infinity());

private:
  /// (dw, dt) with GᵀWG (dw, dt) = (x, t), G(w, t) = t l - Bw, for the weights that were factorised last. False where that
  /// breaks down.
  bool bordered_solve(Vector &x, double &t);
  bool factorize(const Vector &W);
  void balance(Vector &q); ///< q moved to Bᵀq = 0, where it stays >= 0

  const SparseConstraint &B;
  const Vector           &l;
  BorderedSystem          system;                ///< its 1 is a small part of the weights
  Vector                  weights, Bx, Bw, rest; ///< scaled W
  double                  scale = 1.;
};
} // namespace moreau::convex

#endif
