// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_HOMOGENIZATION_ZONE_PIECES_H
#define MOREAU_HOMOGENIZATION_ZONE_PIECES_H

#include "homogenization/voronoi.h"

#include <vector>

namespace moreau::homogenization
{
/// A cell that the boundary of the zone runs through, or that ends at it.
struct ZoneCell
{
  Index           cell;
  bool            is_whole;                ///< the boundary of the zone only touches a face: the rest is empty
  Eigen::MatrixXd corners;                 ///< of simplices that fill its part of the zone, dim x (dim+1) k
  double          volume = 0., error = 0.; ///< of this part (m^d)
};

/// What the boundary of a zone that is not uniform does to cells of the box,
/// by increasing number of the cell; all others lie in the zone.
///
/// Cells are found by samples at vertices, middles of edges (in the plane) and centre; their neighbours are looked at as
/// closely as they are, so that a bit of the boundary that enters a cell between its samples is found if it comes from a
/// cell that has been. Of cells in parts each process finds its own; all call, and throw the same InputError.
std::vector<ZoneCell> zone_cells(const VoronoiCells &cells, const micro::Spheres &spheres, const macro::Domain &domain);
} // namespace moreau::homogenization

#endif
