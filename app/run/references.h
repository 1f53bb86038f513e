// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_APP_RUN_REFERENCES_H
#define MOREAU_APP_RUN_REFERENCES_H

#include "app/input/parameters.h"
#include "app/output/log.h"
#include "app/output/stages.h"
#include "homogenization/convergence_study.h"

#include <vector>

namespace moreau::app
{
/// The projection on the cone of `setting`.
homogenization::Reference projected(const macro::Setting &setting, const Parameters &parameters, Stages &stages);

/// The cones that Homogenization/Dilatancies and Fit dilatancy speak of: circular ones where Cone/Type is, else dilatant
/// ones.
macro::ConeType family_of(const Parameters &parameters);

/// The setting with the cone of that family with a uniform s.
macro::Setting with_dilatancy(macro::Setting setting, double s, const Parameters &parameters);

/// All that a parameter file compares φ_n(U) with: first Cone/Type, or the closed form that is given, then the cones of
/// Homogenization/Compare with, then those of the dilatancies, "dilatant 0.3" or "circular 0.3". Each is said
/// in the log.
std::vector<homogenization::Reference> compared_with(const macro::Setting &setting, const Parameters &parameters,
                                                     Stages &stages, Log &log);
} // namespace moreau::app

#endif
