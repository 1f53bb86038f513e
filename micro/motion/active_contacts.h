// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MICRO_MOTION_ACTIVE_CONTACTS_H
#define MOREAU_MICRO_MOTION_ACTIVE_CONTACTS_H

#include "micro/motion/constraint_constants.h"
#include "micro/motion/sphere_motion.h"

#include <optional>

namespace moreau::micro
{
/// Contacts that are almost active at the end of a step, g the gaps: those that the velocities of the two alone could close
/// in another step, g <= h (|u_i| + |u_j|) + slack (m), obstacles at rest. With D the distance of two centres
///     |∇g|² = 1/m_i + 1/m_j,   |D²g| = |∇g|²/D,
/// and 0 on the line; all of it bends inwards, as at bodies, but not in containers. Columns of `rows` are of the spheres in
/// contact alone. ∂_t g and the curvature of obstacles by differences.
/// Empty where there are more than `most`. Throws InputError as rows_within() does.
std::optional<ActiveConstraints> active_contacts(const SphereMotion &motion, double slack, Index most);
} // namespace moreau::micro

#endif
