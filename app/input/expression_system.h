// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_APP_INPUT_EXPRESSION_SYSTEM_H
#define MOREAU_APP_INPUT_EXPRESSION_SYSTEM_H

#include "app/input/motion_parameters.h"
#include "micro/motion/mechanical_system.h"

#include <memory>

namespace moreau::app
{
/// `System/Type = expressions`: up to three coordinates x, y, z with a mass each, the force per unit mass of `Force` (text
/// in x, y, z, ux, uy, uz, t; none where it is empty), and the admissible set where every constraint (text in x, y, z, t) is
/// >= 0. Gradients are central differences, right to about 1e-9. That constraints are convex is left to the user; scheme A
/// refuses to go on where it meets one that is not.
/// Begins at 0 at rest unless told otherwise. Throws InputError for texts that cannot be evaluated, masses that are not
/// positive numbers, and an initial position that is not admissible; its functions do where a value is not finite.
std::unique_ptr<micro::MechanicalSystem> expression_system(const SystemParameters &system, const ExpressionText &force);
} // namespace moreau::app

#endif
