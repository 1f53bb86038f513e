// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_APP_INPUT_EXPRESSION_SYSTEM_H
#define MOREAU_APP_INPUT_EXPRESSION_SYSTEM_H

#include "app/input/motion_parameters.h"
#include "micro/motion/mechanical_system.h"

#include <memory>

namespace moreau::app
{
/// `System/Type = expressions`: coordinates q, named or up to three x, y, z, and texts in their names, those of their
/// velocities ("u" before the name) and the time t, for
///  - the mass matrix: a number for each coordinate, its diagonal, or its upper triangle, row by row; it may depend on q.
///    Then the inertial force ½ ∂(uᵀMu)/∂q - Ṁu is added;
///  - forces: -∂V/∂q of a potential V(q, t), generalised ones, and those per unit mass of `Force`, which count M(q) times;
///  - the admissible set, where every constraint (a function of q and t) is >= 0.
/// What is missing is 0. Derivatives: see DifferentiableFormula. That constraints are convex is left to the user;
/// scheme A refuses to go on where it meets one that is not. The projection of scheme B is nearest_admissible().
/// Begins at 0 at rest unless told otherwise. Throws InputError for texts that cannot be evaluated, masses that are not
/// positive, and an initial position that is not admissible; its functions do where a value is not finite.
std::unique_ptr<micro::MechanicalSystem> expression_system(const SystemParameters &system, const ExpressionText &force);
} // namespace moreau::app

#endif
