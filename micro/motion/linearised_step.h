// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MICRO_MOTION_LINEARISED_STEP_H
#define MOREAU_MICRO_MOTION_LINEARISED_STEP_H

#include "micro/periodic_obstacles.h"
#include "micro/motion/motion.h"
#include "micro/motion/neighbour_list.h"

#include <vector>

namespace moreau::micro
{
/// Spheres at the beginning of a step, with radii and obstacles of its end.
struct StepScene
{
  const Eigen::MatrixXd   &q;         ///< centres, d x n (m); anywhere in a periodic box
  const Vector            &R;         ///< radii at the end, n (m)
  const Vector            &m;         ///< masses, n (kg)
  const PeriodicObstacles &obstacles; ///< at the end
  const PeriodicBox       &box;
  double                   h;          ///< length of the step (s)
  NeighbourList *neighbours = nullptr; ///< kept from step to step, where there is one; saves searches, changes no result
  std::int64_t   number     = 0;       ///< of the step in its motion, from 1; 0: it is in none

  /// Whether a step without a guaranteed bound looks for the stress of jammed matter, which the next steps have from it:
  /// steps 1, 2, 4, 8, ..., so that where there is none hardly any time is lost.
  bool looks_for_stress() const { return number > 0 && (number & (number - 1)) == 0; }
};

/// One constraint g(t,·) >= 0 of a step, linearised: D + h ∇g·u >= 0, that
/// is e·(u_i - u_j) <= D/h, u_j = 0 for an obstacle.
struct StepRow
{
  int          i, j;  ///< sphere i; sphere j > i, or obstacle j - n
  std::int64_t image; ///< of j (NearPair::image); of an obstacle also the number of its supporting half-space, 0 the first

  /// An obstacle's `image` is image * supports + number of the half-space. The image is that of the sphere.
  static constexpr std::int64_t supports = 1 << 16;

  PeriodicObstacles::Image image_of_sphere() const { return image / supports; } ///< that meets the obstacle

  Eigen::Vector3d e; ///< unit, from i to j at q
  double          D; ///< gap (m)

  bool operator<(const StepRow &other) const
  {
    return i != other.i ? i < other.i : j != other.j ? j < other.j : image < other.image;
  }
};

/// Multipliers by row, to start the next projection from.
struct RowMultipliers
{
  std::vector<StepRow> rows;   ///< sorted
  Vector               p;      ///< of each row (kg m/s)
  Vector               stress; ///< a self-stress of rows that nothing opens (convex::Face); of length 0: none is known

  /// p, or the stress where there is one, of the same rows, 0 for those that are new. The supporting half-spaces of an
  /// obstacle count together.
  Vector guess(const Vector &values, const std::vector<StepRow> &wanted) const;
};

/// P_{K_h(q)} U with all constraints within reach of the step.
struct StepSolution
{
  std::vector<StepRow> rows;   ///< sorted
  convex::SaddlePoint  x;      ///< u (d n) and p of the rows; status infeasible: p says which rows block each other
  Vector               stress; ///< a self-stress that makes rows rigid (m); of length 0: none was needed
  Vector               held;   ///< -γ >= 0 of the rows at the beginning (kg m/s); of length 0 where contact is dry
  double               max_overlap = 0.; ///< of q + h u (m)
  double               search_time = 0.; ///< s of the clock
  convex::Effort       effort;           ///< of all projections, with the verdict on x
};

/// The projection of scheme A, u = P_{K_h(q)} U, K_h(q) = { v : g(q) + h
/// ∇g(q)·v >= 0 } in the metric of the masses (BL, eq. 1.13), for spheres.
///
/// Rows are the pairs that are close or that U would bring together; whatever violates its linearised constraint after the
/// projection is added, and the projection repeated from the multipliers found so far, until no pair within reach of the
/// velocities found does. As g is convex, q + h u then is admissible. In containers, where g is concave, supporting
/// half-spaces at the points reached are added until the sphere is inside.
/// The tolerance of the projections is tightened until h times the speed that it leaves is below the position tolerance.
/// The same bits for any number of threads. Never throws for lack of convergence or of admissible velocities: x.status says.
///   U      d n, interleaved by sphere (m/s)
///   start  multipliers of a neighbouring step; may be empty. Where contact is gluey: -γ of all contacts that hold
///
/// Gluey contact (BL, remark 4.3): the impulse of a row may be as low as γ, p >= γ, and γ becomes γ - p. With p = γ + q
/// that is the projection of U - B*γ in place of U,
///     u + B*q = U - B*γ,   q >= 0,   Bu <= b,   <Bu - b, q> = 0,   and -q is the new γ,
/// so solvers, warm starts and certificates are those of dry contact. x.p is q; the impulses of the step are q + γ.
/// M u - Bᵀγ changes by the forces alone, so that a contact opens in the step in which what pressed it is used up.
StepSolution linearised_step(const StepScene &scene, const Vector &U, const RowMultipliers &start,
                             const StepParameters &parameters);

/// The projection's data for given rows: rows e·(u_i - u_j) <= b, kinetic metric. b: one per row (m/s).
convex::ProjectionProblem step_problem(const std::vector<StepRow> &rows, const Vector &m, Index dim, const Vector &U,
                                       const Vector &b);

/// Gaps of the rows' pairs at the centres r (d x n) (m): what is left between them, not linearised.
Vector gaps(const std::vector<StepRow> &rows, const StepScene &scene, const Eigen::MatrixXd &r);
} // namespace moreau::micro

#endif
