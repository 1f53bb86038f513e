// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_APP_INPUT_MEMORY_H
#define MOREAU_APP_INPUT_MEMORY_H

#include "macro/cone.h"
#include "macro/mesh_choice.h"

#include <string>

namespace moreau::app
{
/// What this process can still get without swapping, within the limit of its
/// control group (bytes); infinite where nobody says.
double available_memory();

/// Throws InputError(parameter, ...) where n spheres in dimension dim cannot be computed with: better a sentence now than
/// the kernel's kill later. Counts what the cheapest solver needs, so that nothing is refused that could work.
/// n_times: so many times all n are on this machine; more than 1: on processes of which each holds all of them.
void require_memory(double n, unsigned int dim, const std::string &parameter, double n_times = 1.);

/// The same for n cells of a mesh. cone, mesh: those of a projection; lattices, simplices and elements take more.
void require_memory_for_cells(double n, unsigned int dim, const std::string &parameter, const macro::Cone &cone = {},
                              const macro::MeshChoice &mesh = {});

/// The same for n cells of a picture of coarse fields of spheres.
void require_memory_for_picture(double n, unsigned int dim, const std::string &parameter);
} // namespace moreau::app

#endif
