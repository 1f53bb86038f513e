// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MICRO_MOTION_SPHERE_MOTION_H
#define MOREAU_MICRO_MOTION_SPHERE_MOTION_H

#include "micro/motion/motion.h"
#include "micro/obstacles.h"
#include "micro/spheres.h"

#include <functional>
#include <memory>

namespace moreau::micro
{
/// Force per unit mass (m/s²) on all spheres: r, u are d x n, f becomes d x n. Called with instants within a step.
using BodyForce = std::function<void(double t, const Eigen::MatrixXd &r, const Eigen::MatrixXd &u, Eigen::MatrixXd &f)>;

/// Spheres and all that acts on them. Walls of a box are half-spaces among the obstacles.
struct SphereSystem
{
  Spheres                         spheres;                   ///< at time 0; centres within the period
  Vector                          U;                         ///< initial velocity (d n), m/s
  BodyForce                       force;                     ///< empty: none
  bool                            force_has_velocity = true; ///< false: drag need not be looked for
  std::function<Vector(double t)> radii; ///< R(t), length n (m), equal to spheres.R at time 0; empty: constant
  Obstacles                       obstacles;
  Vector                          lower; ///< of the periodic box, length d; only where `period` is not 0
  Vector
      /// length d (m), 0 in directions that are not periodic; empty: none. Centres are kept in [lower, lower + period)
      period;
};

/// A contact of the last step, for pictures, tables and messages. j >= n: obstacle j - n.
struct MotionContact
{
  int             i, j;
  Eigen::Vector3d e;       ///< unit, from i to (the image of) j, at the beginning of the step
  double          D;       ///< gap at the beginning of the step, with radii and obstacles of its end (m)
  double          impulse; ///< p of the step (kg m/s), >= 0 where contact is dry; p/h is the mean force (N)
  double          gamma;   ///< γ <= 0 at the end of the step (kg m/s): how much it can be pulled; 0 where contact is dry
  bool rigid = false; ///< a self-stress that the step needed presses it: no admissible velocity opens it. Others may be, too
};

/// How centres moved in the last step, on straight lines. Columns: spheres as they are numbered now; empty before the first
/// step.
struct StepPaths
{
  Eigen::MatrixXd begin; ///< at its beginning, within the period, d x n (m)
  Eigen::MatrixXd way;   ///< from there, without the jumps of a period, d x n (m)
};

/// What spheres gave to one obstacle in a step: impulse Σ p e (kg m/s), and its moment about the origin (kg m²/s). Entries
/// that the dimension does not have are 0; in the plane the moment is along z.
struct ObstacleImpulse
{
  Eigen::Vector3d impulse = Eigen::Vector3d::Zero(), moment = Eigen::Vector3d::Zero();
};

/// What spheres take with them that are taken out of a motion.
struct RemovedSpheres
{
  std::int64_t n      = 0;
  double       mass   = 0.; ///< kg
  double       energy = 0.; ///< kinetic, J
  Vector       momentum;    ///< length d, kg m/s
};

/// Spheres moved by scheme A (BL, eq. 1.11-1.15) or B (BV, eq. 25-28).
class SphereMotion : public Motion
{
public:
  /// Contacts of the last step whose impulse exceeds the tolerance times the largest one, and those that hold, in the order
  /// of (i, j).
  virtual const std::vector<MotionContact> &contacts() const = 0;

  /// As they are now: centres (within the period), radii at time(), masses.
  virtual const Spheres &spheres() const = 0;

  virtual const SphereSystem &system() const = 0;

  virtual const StepPaths &paths() const = 0;

  virtual const PlacedObstacles &obstacles() const = 0; ///< where they are now

  /// Of each obstacle, in the last step; all 0 before the first one. The line of action is that of the contact at the
  /// beginning of the step.
  virtual const std::vector<ObstacleImpulse> &obstacle_impulses() const = 0;

  /// Numbers that the spheres had in system(), ascending: 0 ... n - 1 as long as none has been removed.
  virtual const std::vector<Index> &ids() const = 0;

  /// Takes out the spheres with these numbers of now (ascending). Those that are left keep their order and their id;
  /// contacts of the last step that were theirs are gone. record() loses their kinetic energy and momentum, nothing else.
  virtual RemovedSpheres remove(const std::vector<Index> &which) = 0;
};

/// Throws InputError for initial overlaps, radii that are not positive, spheres that begin inside an obstacle, a period too
/// short for two spheres beside each other, a scheme that is not made for spheres (C), e > 0 with scheme B, gluey contact
/// with scheme B or e > 0.
std::unique_ptr<SphereMotion> make_motion(SphereSystem system, const MotionParameters &parameters);
} // namespace moreau::micro

#endif
