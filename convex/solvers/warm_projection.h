// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_CONVEX_SOLVERS_WARM_PROJECTION_H
#define MOREAU_CONVEX_SOLVERS_WARM_PROJECTION_H

#include "convex/cone_projection.h"
#include "convex/solvers/projected_gradient.h"

#include <optional>

namespace moreau::convex
{
/// One of a sequence of neighbouring problems: a projection that starts from the multipliers of the one before, roughly
/// first, where a decision hangs on it, then to its tolerance. What the first part computed serves the second.
///
/// Large networks: first-order passes; in the plane, where these do not arrive soon, Newton's method on the active set that
/// they show, then more passes and an interior point; in space AutomaticProjector. Where a self-stress pressed rows of the
/// problem before, it is tried first: matter jammed between walls stays so.
/// Small problems, chains and named solvers are solved at once.
/// Matter that is jammed may come to rest without its stress being known, but then without a guaranteed bound, too: it is
/// looked for where that is asked for.
/// Decisions depend on the data alone, so that a sequence can be repeated.
class WarmProjection
{
public:
  /// p_start: length m, zeros for rows without a guess. criterion: of the second part, on the natural residual.
  /// stress: of the rigid rows of the problem before (m); empty where there were none. looks: for a stress, by a linear
  /// program, where the answer has no guaranteed bound, its estimate is above 1e-6 and rows without room are more than what
  /// they let move; taken where it presses half of the rows or more.
  /// Keeps references to the problem.
  WarmProjection(const ProjectionProblem &problem, const Vector &p_start, const std::string &solver,
                 const StoppingCriterion &criterion, const Vector &stress = {}, bool looks = false);

  /// Whether it was solved at once; then rough() is exact().
  bool is_solved() const { return answer.has_value(); }

  /// u and p to the natural residual `loose`, or better; at most 300 passes are spent on it. Without a certificate, and
  /// without a status but `infeasible`.
  SaddlePoint rough(double loose);

  /// To the criterion.
  SaddlePoint exact();

  /// A self-stress of rigid rows (m), where exact() has found one; else empty.
  const Vector &self_stress() const { return stress; }

private:
  SaddlePoint present() const;
  SaddlePoint solved();
  SaddlePoint after_passes(unsigned int most);
  SaddlePoint certified(SaddlePoint &&x);
  bool        may_be_jammed() const;
  SaddlePoint continued(SaddlePoint &&x, const ConeProjector &projector, const Vector *start = nullptr) const;
  bool        is_over(const SaddlePoint &x) const;
  bool        face_fits() const;
  bool        start_is_interior() const;

  const ProjectionProblem                  &problem;
  Vector                                    p_start;
  std::string                               solver;
  StoppingCriterion                         criterion;
  Vector                                    stress;
  bool                                      looks;
  std::string                               tried;       ///< on a face, in vain
  unsigned int                              n_tried = 0; ///< the work of that
  std::optional<SaddlePoint>                answer;      ///< of a problem that was solved at once
  std::optional<ProjectedGradientIteration> iteration;   ///< of a large network
  unsigned int                              n_nodes = 0;
  bool                                      planar  = true; ///< and small enough to be factorised
};
} // namespace moreau::convex

#endif
