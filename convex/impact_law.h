// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_CONVEX_IMPACT_LAW_H
#define MOREAU_CONVEX_IMPACT_LAW_H

#include "convex/effort.h"
#include "convex/law.h"

namespace moreau::convex
{
/// Result of Moreau's law, applied until the velocity is admissible.
struct Impact
{
  Vector       u_plus;     ///< velocity after the impact(s) (n), m/s
  SaddlePoint  projection; ///< P_K U of the first application, with its certificate: what energy_projected refers to
  Vector       impulse;    ///< Σ (1+e) p over all applications (m), kg m/s: M(U - u_plus) = Bᵀ impulse
  Certificate  worst; ///< the worst certificate of all applications, its numbers relative to norms and speeds of the first
  std::int64_t n_rebounds = 0; ///< applications with e > 0
  double approach = 0.; ///< of single_impact(), m/s: the fastest that u_plus leaves where the law is applied once; else 0
  Effort effort;        ///< a projection per application; none where U is admissible. Its bounds are those of `worst`.
};

/// Approaches that are no impacts with rebound (m/s), for callers that know better than certificates do which these are.
struct SlowApproach
{
  double resting    = 0.; ///< where nothing approaches faster than this one projection with e = 0 ends the law; 0: none
  double negligible = 0.; ///< where nothing approaches faster than this there is nothing to do
};

/// u⁺ = U - (1+e)(U - P_K U) (BM, eq. 3-4), repeated while Bu⁺ exceeds b: for e > 0 a contact that is pressed although U
/// separates it approaches again (active rows have Bu⁺ - b = -e(BU - b)). After `max_impacts` applications that leave a
/// row approaching, one projection with e = 0 ends an inelastic collapse. With b != 0 speeds are relative to the moving
/// wall.
///   restitution  e in [0, 1], InputError("the restitution", ...) elsewhere
///   p_start      a guess of the first projection's p, or null
///   U            InputError("the velocity", ...), on all processes, where an entry is not finite
///   slow         where slow.resting > 0 it decides in place of η below, and a projection with e = 0 is the last one
///
/// A row approaches where (Bu⁺ - b)_c > (1+e)² η, η the largest of what the applications so far left undecided:
///     natural residual max |min(p, b - Bu)|,   relative error bound times the speed σ,   64 rounding errors of U and b,
/// where σ is the larger of max |U - mean U| and max (B mean U - b)⁺. The bound is one of the norm of V: its product with
/// σ is what a row is typically wrong by, not a bound of it.
/// An error η of a projection enters u⁺ as (1+e)η and, as a separation that is none, the next application as e(1+e)η.
/// So what remains approaching in u⁺ is typically no faster than a few tolerances, and a tolerance never causes an impact.
///
/// The energy identity |u⁺|² = |P_C U|² + e²|P_N U|² holds for one application and b = 0.
/// A projection that did not converge is reported in the status, not thrown; where K is empty, u⁺ is the velocity before.
Impact post_impact(const ProjectionProblem &problem, const ConeProjector &projector, double restitution,
                   unsigned int max_impacts = Law().max_repetitions, const Vector *p_start = nullptr,
                   const SlowApproach &slow = {});

/// The law of one impact: post_impact(), but with law.max_repetitions = 1 it is (BM, eq. 4) as printed, applied once
/// whatever the cone says of u⁺; `approach` is positive where u⁺ leaves it.
Impact single_impact(const ProjectionProblem &problem, const ConeProjector &projector, const Law &law,
                     const Vector *p_start = nullptr);

/// 1 + e where u⁺ = U - (1+e)(U - u) up to rounding, one application of the law to problem.U; 0 where it is not.
double impact_factor(const ProjectionProblem &problem, const Vector &u, const Vector &u_plus);
} // namespace moreau::convex

#endif
