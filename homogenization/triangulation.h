// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_HOMOGENIZATION_TRIANGULATION_H
#define MOREAU_HOMOGENIZATION_TRIANGULATION_H

#include "micro/spheres.h"

#include <vector>

namespace moreau::homogenization
{
using Eigen::Index;

/// The Delaunay triangulation of centres in the plane or in space. It is unique: of more than dim+1 centres on one sphere
/// CGAL decides by their coordinates alone.
struct Triangulation
{
  Index            dim = 0;
  std::vector<int> simplices; ///< dim+1 spheres each, positively oriented
  std::vector<int> hull;      ///< dim spheres of each facet with nothing behind it; in the plane all is on its left
};

/// Without simplices where all centres lie on a line (a plane).
Triangulation triangulation(const micro::Spheres &spheres);
} // namespace moreau::homogenization

#endif
