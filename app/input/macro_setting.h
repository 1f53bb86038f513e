// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_APP_INPUT_MACRO_SETTING_H
#define MOREAU_APP_INPUT_MACRO_SETTING_H

#include "app/input/parameters.h"
#include "macro/discretize.h"

namespace moreau::app
{
/// "left" for side 0, in the order of geometry::Sides.
std::string name_of_side(std::size_t side);

/// The sides with these names. Throws InputError(parameter, ...) for one that a space of this dimension does not have.
geometry::Sides sides(const std::string &parameter, const std::vector<std::string> &names, unsigned int dimension);

/// The density in section Zone, of the expression or the file, whose name is
/// written back to `file`. An expression is not checked to lie in [0, 1].
geometry::Field density_of_zone(ParameterFile &file);

/// Throws InputError("Mesh/Cells per unit length", ...), on all processes, where a machine has not the memory for what those
/// that run on it have of the grid on the box. All call it together.
void require_memory_for_box(const Parameters          &parameters,
                            const geometry::Processes &processes = geometry::Processes::alone());

/// Whether all processes of an MPI run share the work; else the first one does it.
bool is_distributed(const Parameters &parameters);

/// All of them, or this one alone.
geometry::Processes processes_of(const Parameters &parameters);

/// The macroscopic projection that a parameter file describes. Names of files, and corners that come from a mesh, are
/// written back to `file`, so that its print-out repeats the run. Throws InputError.
macro::Setting macro_setting(ParameterFile &file, const geometry::Processes &processes);
} // namespace moreau::app

#endif
