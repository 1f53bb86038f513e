// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_APP_RUN_REFERENCES_H
#define MOREAU_APP_RUN_REFERENCES_H

#include "app/input/parameters.h"
#include "app/output/log.h"
#include "app/output/stages.h"
#include "homogenization/convergence_study.h"

#include <nlohmann/json_fwd.hpp>

#include <vector>

namespace moreau::app
{
constexpr char closed_form[] = "closed form"; ///< name of the reference that is Homogenization/Exact velocity

/// Whether it is an Exact velocity that has been found not to be the projection of U.
bool is_refuted(const homogenization::Reference &reference);

/// What summary.json says of every reference.
nlohmann::ordered_json to_json(const homogenization::Reference &reference);

/// Whether U = D x, D the mean gradient of a periodic box and Velocity/Function expression 0: of every cone that lets D pass
/// it is its own projection.
bool is_mean_gradient_alone(const macro::Setting &setting, const Parameters &parameters);

/// The projection on the cone of `setting`; D x itself where is_mean_gradient_alone() and no mesh need find it.
homogenization::Reference projected(const macro::Setting &setting, const Parameters &parameters, Stages &stages);

/// The cones that Homogenization/Dilatancies and Fit dilatancy speak of: circular ones where Cone/Type is, else dilatant
/// ones.
macro::ConeType family_of(const Parameters &parameters);

/// The setting with the cone of that family with a uniform s.
macro::Setting with_dilatancy(macro::Setting setting, double s, const Parameters &parameters);

/// Throws InputError("the mean gradient", ...) where one of the cones that φ_n(U) is compared with has no velocity with it.
void require_admissible_gradients(const macro::Setting &setting, const Parameters &parameters);

/// All that a parameter file compares φ_n(U) with: first Cone/Type, or the closed form that is given, then the cones of
/// Homogenization/Compare with, then those of the dilatancies, "dilatant 0.3" or "circular 0.3". Each is said
/// in the log. Throws as require_admissible_gradients() does.
std::vector<homogenization::Reference> compared_with(const macro::Setting &setting, const Parameters &parameters,
                                                     Stages &stages, Log &log);

/// A closed form, the first reference, is only what the user says it is: a projection on a coarse mesh, whose error is
/// bounded, may refute it. Then its `error` is what that leaves, nothing is guaranteed, and the log warns of it; else its
/// remark and the log say how far it was looked at. Does nothing where none is given.
void check_closed_form(std::vector<homogenization::Reference> &references, macro::Setting setting,
                       const Parameters &parameters, Stages &stages, Log &log);

/// The same by a level that is computed: one that proves a closed form not to be the projection u of U, by a bound that
/// needs no mesh or, without walls, by its momentum. Then what the level says of |v - u| is a bound without closed form,
/// too. Does nothing to other references.
void doubt_closed_form(homogenization::Reference &exact, homogenization::Level &level, bool has_walls, Log &log);
} // namespace moreau::app

#endif
