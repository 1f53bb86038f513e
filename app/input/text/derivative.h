// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_APP_INPUT_TEXT_DERIVATIVE_H
#define MOREAU_APP_INPUT_TEXT_DERIVATIVE_H

#include "app/input/text/formula.h"

namespace moreau::app
{
/// ∂f/∂x_k of a formula at `variables`, by differences: of the fourth order, right to about 1e-12 where f is smooth within
/// 2e-3 max(1, |x_k|) of there; near a kink of the second one with steps of 6e-6, right to about 1e-9.
/// Length f.n_components(). Throws InputError where f is not finite beside the point.
Eigen::VectorXd derivative(const Formula &f, const Eigen::VectorXd &variables, Eigen::Index k);
} // namespace moreau::app

#endif
