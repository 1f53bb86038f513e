// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_CONVEX_SOLVERS_INTERIOR_POINT_H
#define MOREAU_CONVEX_SOLVERS_INTERIOR_POINT_H

#include "convex/cone_projection.h"
#include "convex/factorisation/sparse_cholesky.h"

#include <vector>

namespace moreau::convex
{
/// Primal-dual interior point for any sparse B: Mehrotra's predictor and corrector, Gondzio's centrality correctors, and a
/// proximal term δ on the multipliers without which dependent rows break the factorisation. One step solves
///     H du = -r_d - Bᵀt,   dp = t + w B du,   ds = -B du + δ dp + r_p,      H = M + BᵀWB,   w = p/(s + δp),
///     r_d = M(u - U) + Bᵀp,   r_p = b - Bu - s,   r_c = ps - σμ + dp ds,   t = (-r_c - p r_p)/(s + δp),
/// with slacks s = b - Bu >= 0. The pattern of H is fixed and analysed once.
///
/// Everything is scaled: velocities by their own size in the frame of the mean velocity, masses by their mean, each row by
/// √(BM⁻¹Bᵀ)_cc, so that units and masses of any magnitude make no difference.
class InteriorPoint : public ConeProjector
{
public:
  struct Parameters
  {
    unsigned int    max_iterations = 200;   ///< factorisations
    double          regularization = 1e-13; ///< δ relative to (BM⁻¹Bᵀ)_cc
    unsigned int    n_correctors   = 1;     ///< Gondzio correctors: 1 pays where a factorisation costs few solves
    CholeskyBackend backend        = CholeskyBackend::multifrontal;

    /// Nodes of a network in space from which H is not factorised in double precision any more: then δ is 1e-6 (what it does
    /// is refined away), systems are solved by conjugate gradients with factors in single precision (NewtonSystem), and
    /// there are three correctors. Masses whose ratio exceeds 1e4 stay with double precision.
    Index single_precision_from = 8000;
  };

  /// criterion.max_iterations caps the factorisations, too.
  explicit InteriorPoint(const StoppingCriterion &criterion) : InteriorPoint(criterion, Parameters()) {}
  InteriorPoint(const StoppingCriterion &criterion, const Parameters &parameters)
      : criterion(criterion), parameters(parameters)
  {}

  /// Needs a DiagonalSpace and a SparseConstraint (std::invalid_argument otherwise). Of the iterate's own velocity and U -
  /// B*p the one with the smaller certified bound is returned. Where K is empty, p has maximum 1 and its support is a
  /// blocking chain.
  SaddlePoint project(const ProjectionProblem &problem, const Vector *p_start = nullptr) const override;

  /// The same where the rows of this mask (length m) hold as equalities, with multipliers of any sign. Not certified: the
  /// status is `infeasible` where p (of any sign on those rows) proves it, else `stagnated` or `iteration limit`.
  SaddlePoint project_with_equalities(const ProjectionProblem &problem, const std::vector<char> &equal) const;

private:
  StoppingCriterion criterion;
  Parameters        parameters;
};
} // namespace moreau::convex

#endif
