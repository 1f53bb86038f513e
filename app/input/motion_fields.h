// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_APP_INPUT_MOTION_FIELDS_H
#define MOREAU_APP_INPUT_MOTION_FIELDS_H

#include "app/input/text/formula.h"
#include "micro/motion/sphere_motion.h"

#include <functional>

/// What acts on moving spheres and flows, from the expressions of a parameter file.
namespace moreau::app
{
struct Parameters;

/// 'Force/Function expression', empty where there is none. Spheres are shared
/// among threads; what does not vary is evaluated once.
/// Throws InputError for text that cannot be evaluated; the function does where a value is not finite, saying for which
/// sphere: `what` and its number, nothing where `what` is empty.
micro::BodyForce body_force(const ExpressionText &text, micro::Index dim, const std::string &what = "sphere");

/// Whether that force is the same at all times and for all velocities; true where there is none.
bool depends_on_place_alone(const ExpressionText &force, micro::Index dim);

/// Whether it contains ux, uy or uz.
bool depends_on_velocity(const ExpressionText &force, micro::Index dim);

/// Radii R_i(t) = R_i g(r_i, t) (m) with the factor g of 'Growth/Function
/// expression' and the initial centres r_i; empty where there is none.
/// Throws InputError where g is not 1 at time 0; the function does where a
/// factor is not positive and finite, saying for which sphere.
std::function<micro::Vector(double t)> growing_radii(const ExpressionText &text, const micro::Spheres &spheres);

/// In space a floor is easily forgotten, or put where y is lowest: what to say of motions and flows between walls alone
/// where a constant force along an axis points to a side that is open; empty where there is none.
std::string open_side_of_force(const Parameters &parameters);
} // namespace moreau::app

#endif
