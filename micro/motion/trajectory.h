// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MICRO_MOTION_TRAJECTORY_H
#define MOREAU_MICRO_MOTION_TRAJECTORY_H

#include "micro/motion/motion.h"

#include <functional>

namespace moreau::micro
{
/// A motion as the theorems on the schemes see it: q is linear between instants, u is its derivative (BL, before theorem
/// 1.3; DMP, §2), impulses are masses at the ends of steps. That is u^{n+1} on (t^n, t^{n+1}) in schemes A and B, u_i in
/// scheme C. Only in scheme A with e > 0 it is not a velocity that Motion::u() returns: positions move with the inelastic
/// projection, which differs from u^{n+1} in steps with an impact.
class Trajectory
{
public:
  using State = Eigen::Map<const Vector>;

  /// Begins where the motion is now.
  explicit Trajectory(const Motion &motion) : Trajectory(motion.time(), motion.q()) {}
  Trajectory(double t, const Vector &q);

  /// Memory for so many steps, once.
  void          reserve(Index n_steps);
  static double bytes(double n_coordinates, double n_steps) { return 8. * (2. * n_coordinates + 1.) * (n_steps + 1.); }

  /// Records the end of a step; period: length of q, displacement between
  /// instants is taken modulo it, nearest to 0, where it is not 0. Empty: none.
  void record(const Motion &motion, const Vector &period = {})
  {
    record(motion.time(), motion.q(), motion.impulse(), period);
  }

  /// impulse: at t. Where t is the last instant again, its impulse is added to the others of that instant.
  /// Throws std::invalid_argument for t before the last instant, and for other lengths.
  void record(double t, const Vector &q, const Vector &impulse, const Vector &period = {});

  Index                      n_steps() const { return static_cast<Index>(times.size()) - 1; }
  Index                      n_coordinates() const { return n; }
  double                     end_time() const { return times.back(); }
  const std::vector<double> &instants() const { return times; }

  /// Positions at instant k, without the jumps of a period, and all impulses up to then, its own included.
  State q_at(const Index k) const { return {positions.data() + k * n, n}; }
  State cumulated_impulse_at(const Index k) const { return {impulses.data() + k * n, n}; }

  /// Between its first and last instant: linear; of the step that begins at or
  /// before t (the last one at the end); of the last instant at or before t.
  Vector q(double t) const;
  Vector u(double t) const;
  Vector cumulated_impulse(double t) const;

private:
  Index step_of(double t) const;

  Index               n;
  std::vector<double> times, positions, impulses; ///< instant by instant; impulses cumulated
};

/// A trajectory known by formula.
struct ExactTrajectory
{
  struct State
  {
    Vector q, u;
    Vector cumulated_impulse; ///< may be empty
  };
  std::function<State(double t)> at;
  std::vector<double>            kinks; ///< instants where u jumps, as far as they are known; others are found by bisection
};

/// Distance of two motions over [0, T], by the mean over coordinates weighted by masses m (length of q; empty: 1): |q|² =
/// Σ m q²/Σ m and, for impulses, |P|² = Σ P²/m / Σ m, the velocity that they give.
struct TrajectoryError
{
  double q = 0.; ///< sup over time of |q - q'| (m, or the unit of the coordinates)
  double u = 0.; ///< (1/T) ∫ |u - u'| dt (the same, /s)
  double impulse =
      /// (1/T) ∫ |P - P'| dt of the cumulated impulses (the same, /s), a distance of measures in time; NaN where one is
      /// not known
      0.;
};

/// Exact in time: sup over the union of the instants, sums over its intervals.
/// Throws std::invalid_argument for other lengths or end times.
TrajectoryError error(const Trajectory &motion, const Trajectory &reference, const Vector &masses = {});

/// By quadrature in each step, bisected around jumps that are not given as kinks; sup over the points of quadrature.
TrajectoryError error(const Trajectory &motion, const ExactTrajectory &reference, const Vector &masses = {});
} // namespace moreau::micro

#endif
