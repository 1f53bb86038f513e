// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_CONVEX_WARM_PROJECTION_H
#define MOREAU_CONVEX_WARM_PROJECTION_H

#include "convex/cone_projection.h"
#include "convex/projected_gradient.h"

#include <optional>

namespace moreau::convex
{
/// One of a sequence of neighbouring problems: a projection that starts from the multipliers of the one before, roughly first, where a
/// decision hangs on it, then to its tolerance. What the first part computed serves the second.
///
/// Large networks: first-order passes; where these do not arrive within a fifth of the work of an interior point, that one (in the plane) or
/// AutomaticProjector. An interior point leaves no multiplier at 0: a start without zeros comes from one, and another one goes on from
/// there after a few passes, which are enough where nothing changes. Small problems, lines and named solvers are solved at once.
/// Decisions depend on the data alone, so that a sequence can be repeated.
class WarmProjection
{
public:
  /// p_start: length m, zeros for rows without a guess. criterion: of the second part, on the natural residual.
  /// Keeps references to the problem.
  WarmProjection(const ProjectionProblem &problem, const Vector &p_start, const std::string &solver,
                 const StoppingCriterion &criterion);

  /// Whether it was solved at once; then rough() is exact().
  bool is_solved() const { return answer.has_value(); }

  /// u and p to the natural residual `loose`, or better; at most 300 passes are spent on it. Without a certificate, and without
  /// a status but `infeasible`.
  SaddlePoint rough(double loose);

  /// To the criterion.
  SaddlePoint exact();

private:
  SaddlePoint present() const;
  SaddlePoint finished_by_interior_point(const SaddlePoint &first) const;
  bool        start_is_interior() const;

  const ProjectionProblem                  &problem;
  Vector                                    p_start;
  std::string                               solver;
  StoppingCriterion                         criterion;
  std::optional<SaddlePoint>                answer;    ///< of a problem that was solved at once
  std::optional<ProjectedGradientIteration> iteration; ///< of a large network
  unsigned int                              n_nodes = 0;
  bool                                      planar  = true;
};
} // namespace moreau::convex

#endif
