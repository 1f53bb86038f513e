// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_APP_MACRO_SETTING_H
#define MOREAU_APP_MACRO_SETTING_H

#include "app/parameters.h"
#include "macro/impact_problem.h"

namespace moreau::app
{
/// The cone with this .prm name, all but `directions`, which needs functions. lattice_angle: degrees.
macro::Cone lattice_cone(const std::string &type, double lattice_angle);

/// Whether all processes of an MPI run share the work; else the first one does it.
bool is_distributed(const Parameters &parameters);

/// The macroscopic projection that a parameter file describes. Names of files, and corners that come from a mesh, are written back to
/// `file`, so that its print-out repeats the run. Throws InputError.
macro::Setting macro_setting(ParameterFile &file, const macro::Processes &processes);
} // namespace moreau::app

#endif
