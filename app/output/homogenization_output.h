// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_APP_OUTPUT_HOMOGENIZATION_OUTPUT_H
#define MOREAU_APP_OUTPUT_HOMOGENIZATION_OUTPUT_H

#include "homogenization/convergence_study.h"
#include "geometry/picture.h"

#include <string>
#include <vector>

/// What the files of `homogenization` hold (doc/formats.md).
namespace moreau::app
{
/// A field that is constant on Voronoi cells.
struct CellwiseField
{
  std::string name;
  std::string unit;
  /// d n interleaved (written with three components), or n; in dimension 1 velocities are in m/s.
  homogenization::Vector values;
};

/// The cells D_i as polygons (plane), polyhedra (space) or segments, named "voronoi", with the fields as cell data; where
/// they are in parts those of this process. Of cells that the boundary of the zone cuts their pieces, each with the cell's
/// values. Also cell data `sphere`, the sphere's number, and `cut`.
/// Neighbours share no points. Throws std::invalid_argument for a field of another length.
geometry::Mesh voronoi_mesh(const homogenization::Packing &packing, const std::vector<CellwiseField> &fields);

/// Picture number k of a study: cells with Ũ, v, u and their difference, and spheres. Of a packing in parts those of this
/// process, else all of them.
geometry::Snapshot snapshot_of(const homogenization::Packing &packing, const homogenization::Level &level, std::size_t k);

/// The same meshes without what is in them: the piece of a process beside one that has everything.
geometry::Snapshot without_cells(geometry::Snapshot snapshot);
} // namespace moreau::app

#endif
