// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_APP_RUN_REFERENCE_MESH_H
#define MOREAU_APP_RUN_REFERENCE_MESH_H

#include "app/input/parameters.h"

#include <vector>

/// How fine the meshes of references are that the user left open (`homogenization`).
namespace moreau::app
{
/// The budget: the cells per unit length of the zone's box that a reference on any of the cones compared with can afford.
double affordable_cells(const Parameters &parameters);

/// The cells per unit length that a mesh has at least where the budget allows: as many across a square or cube as large as
/// the zone's box, whatever the unit of length.
double least_cells(const Parameters &parameters);

/// The error bound of a reference, and the distance |v - u| to it that the finest level is expected to have (m/s m^{d/2}).
struct ExpectedDistance
{
  double error, distance;
};

/// The factor by which cells per unit length must grow for every error to fall below a quarter of its distance, with some
/// to spare, if errors fall like h; 1 where they are small enough, or where no mesh would help.
double refinement_wanted(const std::vector<ExpectedDistance> &expected);
} // namespace moreau::app

#endif
