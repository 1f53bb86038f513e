// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MICRO_MOTION_FORCE_BOOKS_H
#define MOREAU_MICRO_MOTION_FORCE_BOOKS_H

#include "micro/motion/sphere_motion.h"
#include "micro/periodic_box.h"

/// What is booked of a force on spheres beside its impulse.
namespace moreau::micro
{
/// The largest -∂f/∂u along u (1/s) of all spheres, by differences, at an instant t. r, u: d x n. Spheres at rest are left
/// out: those that the force makes a million times as fast in a time h.
double rate_of_drag(const BodyForce &force, double t, double h, const Eigen::MatrixXd &r, const Eigen::MatrixXd &u);

/// ∫ Σ m f(t, r, v)·v ds (J), by Gauss points: of the force on spheres of masses m that move on from `begin` with v (d x n,
/// m/s) for a time h. r are their places in the box.
double work_of_force(const BodyForce &force, double t, double h, const Eigen::MatrixXd &begin, const Eigen::MatrixXd &v,
                     const Vector &m, const PeriodicBox &box);
} // namespace moreau::micro

#endif
