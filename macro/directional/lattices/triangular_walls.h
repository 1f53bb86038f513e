// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MACRO_DIRECTIONAL_LATTICES_TRIANGULAR_WALLS_H
#define MOREAU_MACRO_DIRECTIONAL_LATTICES_TRIANGULAR_WALLS_H

#include "macro/directional/lattices/lattice_mesh.h"

/// Walls of the triangular lattice, lines of it or not.
///
/// A wall that cuts triangles crosses their edges. Velocities that are linear on triangles satisfy v·n <= 0 on all of
/// it iff they do where it crosses edges and meets nodes.
namespace moreau::macro
{
/// Where a wall crosses the edge along e_k that begins at a site, or meets that site (t = 0), and which part of the wall it
/// stands for: up to the middles between it and its neighbours.
struct WallCrossing
{
  Index  begin;
  int    k;
  double t;        ///< in [0,1): of the edge
  int    side;     ///< of the box, numbered as Sides
  double from, to; ///< along the side (m)
};

/// Of all walls that are no lines of the lattice, as far as saturated matter touches them in triangles of the zone.
std::vector<WallCrossing> wall_crossings(const Domain &domain, const TriangularMesh &mesh);

/// Whether saturated matter touches such a wall within a triangle.
bool touches(const Domain &domain, int side, const Eigen::Matrix<double, 2, 3> &corners);

/// The rows of `pairs`, then v·n <= 0 at the crossings.
std::shared_ptr<const convex::SparseConstraint>
with_crossings(const convex::PairConstraint &pairs, const TriangularMesh &mesh, const std::vector<WallCrossing> &crossings);

/// q >= 0 on walls, from impulses spread over parts of them.
class WallPressure
{
public:
  /// What one crossing gives to its part of a wall.
  struct Part
  {
    int    side;
    double from, to; ///< along the side (m)
    double impulse;  ///< (m³/s)
  };

  /// spacing: of the lattice, over which q is averaged: between crossings that lie close together impulses are shared as it
  /// happens.
  WallPressure(std::vector<Part> parts, double spacing);

  /// q (m²/s) at a point of a side.
  double operator()(int side, double along) const;

private:
  std::vector<Part> parts; // by side and from
  double            spacing;
};

/// The impulses on walls: those at nodes of walls that are lines of the lattice, and those at crossings.
///   row_of_wall, p  of mesh.constraint(); multipliers, those of the crossings at the end
std::vector<WallPressure::Part> parts_of_walls(const Domain &domain, const TriangularMesh &mesh,
                                               const std::vector<int>          &row_of_wall,
                                               const std::vector<WallCrossing> &crossings, const Vector &p);

/// p_k >= 0 with Σ_k p_k (e_k·n) e_k = q n that are closest to those wanted; 0 for directions along the wall.
///   e  2 x K
Vector tied_pressures(const Eigen::Matrix2Xd &e, const Eigen::Vector2d &n, double q, const Vector &wanted);
} // namespace moreau::macro

#endif
