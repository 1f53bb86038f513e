// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MICRO_MOTION_MECHANICAL_PROJECTION_H
#define MOREAU_MICRO_MOTION_MECHANICAL_PROJECTION_H

#include "convex/cone_projection.h"
#include "micro/motion/mechanical_motion.h"

namespace moreau::micro
{
/// The projection of U on { v : ∇g·v + b >= 0 } in the metric of M, in the coefficients Lᵀv, where it is the Euclidean one.
///   gradients  a row for each constraint
///   b          of the same length
convex::ProjectionProblem velocity_problem(const MassMetric &metric, const Eigen::MatrixXd &gradients, const Vector &b,
                                           const Vector &U);

/// Projects velocities of a step: on the natural residual, to 1e-12 whatever the parameters say, since few coordinates cost
/// nothing, and positions are as admissible as projections are exact. Throws InputError("the solver", ...) for one that is
/// made for spheres.
std::unique_ptr<convex::ConeProjector> velocity_projector(const MotionParameters &parameters);

/// Throws InputError("the system"): no velocity fulfils the constraints that p, which diverges, names.
///   rows  numbers of the constraints, from 0, for each entry of p
[[noreturn]] void throw_no_velocity(const Vector &p, const std::vector<Index> &rows, double t);

/// A point of Q = { q : g_i(t, q) >= 0 } nearest to `target` in the metric of M, as scheme B needs it, by repeated
/// linearisation: P(target) on the set linearised about y, which is the next y, from `start` on. What stays where it is
/// fulfils the conditions of the first order.
///  - g convex: what is admissible for the linearisation is admissible, and once y is the distance never grows.
///  - elsewhere: y becomes admissible as it settles, which it does where `target` is nearer to Q than Q is curved.
/// Empty where a linearised set is, and where nothing admissible was found.
std::optional<Vector> nearest_admissible(const MechanicalSystem &system, const MassMetric &metric,
                                         const convex::ConeProjector &projector, double t, const Vector &target,
                                         const Vector &start);

/// What nearest_admissible() projects with: exact to rounding, for few constraints.
std::unique_ptr<convex::ConeProjector> exact_projector();
} // namespace moreau::micro

#endif
