// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_APP_OUTPUT_MOTION_OUTPUT_H
#define MOREAU_APP_OUTPUT_MOTION_OUTPUT_H

#include "app/input/parameters.h"
#include "app/output/record.h"
#include "geometry/picture.h"
#include "micro/motion/constraint_constants.h"
#include "micro/motion/mechanical_system.h"
#include "micro/motion/sphere_motion.h"

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <vector>

/// What the files of `particle motion` hold (doc/formats.md).
namespace moreau::app
{
/// "spheres": points with radius, diameter, mass, u, the impulse that contacts gave in the last step, and id where wanted.
geometry::Mesh moving_sphere_mesh(const micro::SphereMotion &motion, bool with_ids = false);

/// "contacts", the force chains of the last step: a line from each sphere to the other one, or to the point of the obstacle
/// that it touches, with p, the mean force p/h and D; also `rigid` where some contact is. Where the box repeats
/// itself the line leads to the nearest image, if need be out of the box.
geometry::Mesh force_chain_mesh(const micro::SphereMotion &motion);

/// Both, and "obstacles" where there are any.
std::vector<geometry::Mesh> meshes_of(const micro::SphereMotion &motion, const Parameters &parameters);

/// What is said of a step. coordinates: names of the components of the momentum.
Record columns_of(const micro::StepRecord &record, const std::vector<std::string> &coordinates);

/// The largest of the energies that took part in a motion (J): the largest kinetic energy, that which forces alone would
/// have made in a step, work, constraint_work and dissipation.
double energy_that_took_part(const Totals &totals);

/// The largest |scheme_error| of a motion relative to that; 0 where nothing moved.
double share_of_scheme_error(const Totals &totals);

/// What to warn of where that share is more than a tenth; empty where it is not. h: the time step (s).
std::string sentence_on_scheme_error(const Totals &totals, double h);

/// The first line of motion.csv, and the line of a moment.
std::string motion_header(const micro::MechanicalSystem &system);
std::string motion_row(const micro::Motion &motion);

/// What the constraints were like where they were almost active: `constants` of summary.json, and a line of the log.
nlohmann::ordered_json to_json(const micro::ConstraintConstants &constants);
std::string            in_words(const micro::ConstraintConstants &constants);

/// "x (m)" -> "x".
std::string without_unit(const std::string &name);
} // namespace moreau::app

#endif
