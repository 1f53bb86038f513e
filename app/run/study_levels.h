// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_APP_RUN_STUDY_LEVELS_H
#define MOREAU_APP_RUN_STUDY_LEVELS_H

#include "app/input/parameters.h"
#include "homogenization/microscopic_law.h"

#include <filesystem>

/// The spheres of the levels of a study.
namespace moreau::app
{
/// What makes the spheres of one level.
struct SourceOfLevel
{
  double                size; ///< spheres per unit length, by which levels are sorted
  std::filesystem::path file; ///< or empty
};

/// All of them, within a periodic box. Throws InputError.
micro::Spheres spheres_of_level(const Parameters &parameters, const SourceOfLevel &source);

/// Whether each process may have a part of them only: a lattice that fills a box that does not repeat itself.
bool has_levels_in_parts(const Parameters &parameters);

/// With cells and contacts, in parts where homogenization::packing_in_parts() can. The processes call together and throw the
/// same InputError.
homogenization::Packing packing_of_level(const Parameters &parameters, const SourceOfLevel &source,
                                         const macro::Setting &setting, const geometry::Processes &processes,
                                         const geometry::Progress &progress = {});
} // namespace moreau::app

#endif
