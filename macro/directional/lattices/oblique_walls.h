// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MACRO_DIRECTIONAL_LATTICES_OBLIQUE_WALLS_H
#define MOREAU_MACRO_DIRECTIONAL_LATTICES_OBLIQUE_WALLS_H

#include "macro/discretize.h"

#include <vector>

/// Walls that cut the cells of a lattice.
namespace moreau::macro
{
/// What a cell has of a wall that cuts it.
struct WallPiece
{
  int    node; ///< of the cell
  int    side; ///< of the box, numbered as Sides
  double area; ///< touched by saturated matter (m^{dim-1})
  Vector at;   ///< about the middle of it (m)
};

/// Outward unit normal of a side of the box.
Vector normal_of_side(int side, int dim);

/// How far x lies from a side, inwards (m).
double depth_below(const Domain &domain, int side, const Vector &x);

/// What the parallelepipeds { corner + S ξ : ξ in [0,1]^dim } have of the walls: node k is the k-th.
///   corners  dim x n (m)
///   S        its columns are their edges (m)
/// Areas are exact where the zone holds all of the piece; else its samples tell what part.
std::vector<WallPiece> wall_pieces(const Domain &domain, const Eigen::MatrixXd &corners, const Eigen::MatrixXd &S);
} // namespace moreau::macro

#endif
