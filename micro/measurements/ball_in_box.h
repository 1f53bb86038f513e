// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MICRO_MEASUREMENTS_BALL_IN_BOX_H
#define MOREAU_MICRO_MEASUREMENTS_BALL_IN_BOX_H

#include "micro/spheres.h"

namespace moreau::micro
{
/// Length, area or volume of the part of a ball that is in the box lower ... upper (length d = 1, 2, 3): to rounding, in
/// space by quadrature to 1e-9 of the ball.
double ball_in_box(const Vector &centre, double R, const Vector &lower, const Vector &upper);
} // namespace moreau::micro

#endif
