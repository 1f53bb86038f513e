// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MICRO_MOTION_MECHANICAL_SYSTEM_H
#define MOREAU_MICRO_MOTION_MECHANICAL_SYSTEM_H

#include "micro/motion/motion.h"

#include <memory>
#include <optional>

namespace moreau::micro
{
/// A system with few coordinates q ∈ ℝⁿ: kinetic energy ½ uᵀM(q)u,
/// forces, and an admissible set { q : g_i(t,q) >= 0 for all i }.
/// Note the sign: (DMP) writes its single constraint as g(q) <= 0;
/// here admissible is g >= 0 everywhere, as in (BL).
///
/// To add a system, put one file into micro/motion/systems/; micro/motion/systems/README.md says what it must contain.
class MechanicalSystem
{
public:
  virtual ~MechanicalSystem() = default;

  virtual Index                    n_coordinates() const    = 0;
  virtual std::vector<std::string> coordinate_names() const = 0; ///< with units, as "x (m)"
  virtual Vector                   initial_position() const = 0;
  virtual Vector                   initial_velocity() const = 0;

  /// M(q), n x n, symmetric positive definite (kg where q is in m).
  virtual Eigen::MatrixXd mass(const Vector &q) const = 0;
  virtual bool            constant_mass() const { return false; }

  /// Generalised force f(t, q, P), P = M(q)u: M(q)u' = f between impacts, inertial terms of M(q) included. Length n.
  virtual Vector force(double t, const Vector &q, const Vector &P) const = 0;

  virtual Index           n_constraints() const                        = 0;
  virtual Vector          constraints(double t, const Vector &q) const = 0; ///< g, one per constraint
  virtual Eigen::MatrixXd gradients(double t, const Vector &q) const   = 0; ///< ∇g, n_constraints x n
  virtual bool            convex_constraints() const { return false; } ///< each g_i(t,·) is convex: what scheme A needs

  /// A point of the admissible set nearest to q in the metric M (constant),
  /// for scheme B. Empty where the system offers none.
  virtual std::optional<Vector> projection(double t, const Vector &q) const
  {
    (void)t, (void)q;
    return std::nullopt;
  }

  struct Arc
  {
    Vector q, u;              ///< u right-continuous
    Vector cumulated_impulse; ///< ∫₀ᵗ of the constraints' reaction, length n; may be empty
  };

  /// The exact motion at time t for restitution e, where a formula is known.
  virtual std::optional<Arc> exact(double t, double restitution) const
  {
    (void)t, (void)restitution;
    return std::nullopt;
  }

  /// A Lipschitz constant L_f of f in P and bounds α <= M <= β where they are known, for the contraction condition of the
  /// implicit force, h < √α/(L_f β^{3/2}) (DMP). Empty: estimated along the motion.
  struct ContractionBounds
  {
    double L_f, alpha, beta;
  };
  virtual std::optional<ContractionBounds> contraction_bounds() const { return std::nullopt; }
};

/// Named numbers that a system takes, as length = 1, gap = 0.2.
using SystemConstants = std::map<std::string, double>;

/// The names of systems in alphabetical order, and one sentence each with the constants and their defaults.
struct SystemDescription
{
  std::string name, description;
};
const std::vector<SystemDescription> &mechanical_systems();

/// Builds a system. Throws InputError("the system") for an unknown name, InputError("the constants of the system") for a
/// constant that the system does not have or whose value it cannot use; initial: replace the system's own initial position
/// and velocity where not empty (InputError("the initial position") for another length or where it is not admissible).
std::unique_ptr<MechanicalSystem> make_mechanical_system(const std::string &name, const SystemConstants &constants,
                                                         const Vector &initial_position, const Vector &initial_velocity);

/// The system with another initial position and velocity; an empty one stays as it is. Throws
/// InputError("the initial position") or ("the initial velocity") for another length and where the motion would not begin
/// admissibly.
std::unique_ptr<MechanicalSystem> started_at(std::unique_ptr<MechanicalSystem> system, const Vector &initial_position,
                                             const Vector &initial_velocity);

/// How far below 0 (in the unit of g) rounding may take a constraint with this gradient at q, where its terms may cancel.
double rounding_of_constraint(const Eigen::RowVectorXd &gradient, const Vector &q);

/// Throws InputError(subject) where a constraint is negative beyond rounding, or no number, at the initial position.
void require_admissible_start(const std::string &subject, const MechanicalSystem &system);

/// The motion of a system by the scheme that the parameters name. Throws InputError("the scheme") where the system does not
/// fit the scheme (A: convex constraints and a constant mass; B: a constant mass, a projection, e = 0).
std::unique_ptr<Motion> make_motion(std::shared_ptr<const MechanicalSystem> system, const MotionParameters &parameters);
} // namespace moreau::micro

#endif
