// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_HOMOGENIZATION_SPACE_CELLS_H
#define MOREAU_HOMOGENIZATION_SPACE_CELLS_H

#include "macro/discretize.h"
#include "micro/spheres.h"

#include <vector>

namespace moreau::homogenization
{
using Eigen::Index;

struct Triangulation;

/// A cell in space, seen from its sphere. Empty where the power cell is.
struct SpaceCell
{
  std::vector<double> vertices;      ///< 3 n, relative to the centre (m)
  std::vector<int>    face_vertices; ///< as VoronoiCells::faces
  std::vector<int>    behind_face;   ///< as VoronoiCells::neighbours

  Eigen::Map<const Eigen::Matrix3Xd> points() const { return {vertices.data(), 3, static_cast<Index>(vertices.size()) / 3}; }
};

/// Two spheres whose cells have a common face.
struct CommonFace
{
  int i, j;
};

/// The cells of the spheres `wanted`, in the box, among the spheres `members`, by voro++.
///
/// voro++ sometimes, about once in 1e5 large cells at the border of a lattice, does not see that a plane cuts a cell. So
/// faces that only one of two cells has are looked for, here and in known_faces (of a wanted sphere i with a sphere j that
/// is not wanted), and cut again.
std::vector<SpaceCell> space_cells(const micro::Spheres &spheres, const macro::Domain &domain,
                                   const std::vector<int> &members, const std::vector<int> &wanted,
                                   const std::vector<CommonFace> &known_faces = {});

/// The cells of the spheres `wanted`, in the box, each cut out by all spheres whose centres are nearer than `reach`, the
/// nearest first: the same wherever these spheres are a part of more. Slower than voro++'s own search for neighbours.
std::vector<SpaceCell> cells_within_reach(const micro::Spheres &spheres, const macro::Domain &domain,
                                          const std::vector<int> &wanted, double reach);

/// The same by the spheres that edges of a triangulation join with each.
std::vector<SpaceCell> cells_of_neighbours(const micro::Spheres &spheres, const Triangulation &found,
                                           const macro::Domain &domain, const std::vector<int> &wanted);
} // namespace moreau::homogenization

#endif
