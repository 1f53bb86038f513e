// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MICRO_MOTION_MECHANICAL_MOTION_H
#define MOREAU_MICRO_MOTION_MECHANICAL_MOTION_H

#include "micro/motion/mechanical_system.h"

namespace moreau::micro
{
/// The coefficients u of velocities as Lᵀu, M = LLᵀ: what makes the metric of M the Euclidean one.
class MassMetric
{
public:
  /// M: symmetric positive definite. Throws InputError("the constants of the system") where it is not.
  explicit MassMetric(const Eigen::MatrixXd &M);

  Vector momentum(const Vector &u) const { return M * u; }           ///< M u
  Vector velocity(const Vector &P) const;                            ///< M⁻¹ P
  double energy(const Vector &u) const { return .5 * u.dot(M * u); } ///< ½ uᵀMu (J)

  Vector          scaled(const Vector &u) const;                  ///< Lᵀu
  Vector          unscaled(const Vector &v) const;                ///< L⁻ᵀv
  Eigen::MatrixXd scaled_rows(const Eigen::MatrixXd &rows) const; ///< rows L⁻ᵀ: what acts on Lᵀu as `rows` on u

  const Eigen::MatrixXd &matrix() const { return M; }

private:
  Eigen::MatrixXd M, L;
};

/// A system moving by one of the schemes: time, position, velocity and the
/// books of energy and momentum. A scheme is a step().
class MechanicalMotion : public Motion
{
public:
  /// Throws InputError for a restitution outside [0, 1] and for an initial position that is not admissible.
  MechanicalMotion(std::shared_ptr<const MechanicalSystem> system, const MotionParameters &parameters);

  void              advance(double t_next) final;
  double            time() const final { return last.time; }
  const Vector     &q() const final { return position; }
  const Vector     &u() const final { return velocity; }
  const StepRecord &record() const final { return last; }
  Vector            impulse() const final { return reaction; }
  MotionState       state() const final;
  void              restore(const MotionState &state) final;

protected:
  struct Step
  {
    Vector     q, u;                 ///< at its end
    Vector     force_impulse;        ///< h f, of M(q)
    Vector     reaction;             ///< impulse of the constraints
    double     constraint_work = 0.; ///< -Σ p ∂g/∂t (J)
    StepRecord record;               ///< what the projections were like; the rest is filled in by advance()
  };

  /// From time(), q(), u() to t_next.
  virtual Step step(double t_next) const = 0;

  /// (1/h) ∫ f(s, q^n, M u^n) ds over a step from now. Throws InputError where it is not finite.
  Vector mean_force(double h) const;

  /// The system's force. Throws InputError("the force") where it is not finite, saying where.
  Vector force(double t, const Vector &q, const Vector &P) const;

  /// ∂g/∂t at q, as the mean over a step that ends at t_next: the speed with which the constraints themselves move.
  Vector speed_of_constraints(double t_next, const Vector &q) const;

  std::shared_ptr<const MechanicalSystem> system;
  MotionParameters                        parameters;

private:
  double work_of_force(const Vector &q, double h) const;

  StepRecord last;
  Vector     position, velocity, reaction;
};

/// Scheme A (BL, eq. 1.11-1.15) with u⁺ as in the impact law where restitution > 0: several convex g_i(t, q), a constant
/// mass. Positions are admissible at every step.
std::unique_ptr<Motion> make_linearised_motion(std::shared_ptr<const MechanicalSystem> system,
                                               const MotionParameters                 &parameters);

/// Scheme B (BV, eq. 25-28) with the system's projection; restitution 0, a
/// constant mass. The first step is projected as all others are.
std::unique_ptr<Motion> make_catching_up_motion(std::shared_ptr<const MechanicalSystem> system,
                                                const MotionParameters                 &parameters);

/// Scheme C (DMP, eq. 9): any M(q). (DMP) is about one constraint; of several V(t, q) = { ∂g_i/∂t + ∇g_i·u >= 0 where
/// g_i <= 0 }. For e > 0 the velocity after a projection on several need not lie in V; then the next step projects it again.
std::unique_ptr<Motion> make_inertia_motion(std::shared_ptr<const MechanicalSystem> system,
                                            const MotionParameters                 &parameters);
} // namespace moreau::micro

#endif
