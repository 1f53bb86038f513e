// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_APP_OUTPUT_MACRO_OUTPUT_H
#define MOREAU_APP_OUTPUT_MACRO_OUTPUT_H

#include "geometry/picture.h"
#include "geometry/field_mesh.h"

#include <memory>
#include <vector>

/// What the pictures of `macro impact` hold (doc/formats.md).
namespace moreau::app
{
/// The mesh "continuum" with the same arrays. Points and the velocities U and u (as many components as the space has
/// dimensions) get three components; all other arrays keep theirs. Throws std::invalid_argument for an array that is not as
/// long as the points or cells.
insitu::Mesh field_mesh(const geometry::FieldMesh &fields);

/// The same for arrays on the cells of a mesh that was made before, which keeps its points and cells.
insitu::Mesh field_mesh(std::shared_ptr<const insitu::Mesh> shape, const std::vector<geometry::NamedValues> &cell_data,
                        geometry::Index dim);
} // namespace moreau::app

#endif
