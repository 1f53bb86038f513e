// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_CONVEX_EFFORT_H
#define MOREAU_CONVEX_EFFORT_H

#include "convex/cone_projection.h"

#include <cstdint>

namespace moreau::convex
{
/// What projections cost and how they ended: one member of every result that they lead to. Adds up over repetitions, steps
/// and levels; a number that all solvers report is added here, and nowhere else.
struct Effort
{
  std::int64_t n_projections = 0;
  std::int64_t n_iterations  = 0;                 ///< of all projections, each in its solver's own unit
  double       seconds       = 0.;                ///< of the clock, in projections
  Status       status        = Status::converged; ///< of the first projection that did not converge
  bool         collapsed     = false; ///< the impact law was ended by a projection with e = 0 (inelastic collapse)

  // The worst of all projections, relative; NaN is worse than any number.
  double natural_residual     = 0.;
  double relative_error_bound = 0.;
  bool   guaranteed           = true; ///< all bounds are bounds (Certificate)

  bool converged() const { return status == Status::converged; }

  Effort &operator+=(const Effort &more);

  /// Where several projections lead to one answer, the verdict is that on the answer.
  void end_with(Status verdict, const Certificate &certificate);
};

/// Of one projection that took so long (s).
Effort effort_of(const SaddlePoint &x, double seconds = 0.);
} // namespace moreau::convex

#endif
