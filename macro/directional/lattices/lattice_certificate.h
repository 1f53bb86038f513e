// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MACRO_DIRECTIONAL_LATTICES_LATTICE_CERTIFICATE_H
#define MOREAU_MACRO_DIRECTIONAL_LATTICES_LATTICE_CERTIFICATE_H

#include "macro/directional/lattices/triangular_walls.h"
#include "macro/total_bound.h"

/// Total error bounds of the triangular cone on equilateral triangles.
namespace moreau::macro
{
/// p_k >= 0, quadratic on every triangle, continuous along e_k, 0 where e_k crosses a free boundary; on walls Σ p_k
/// (e_k·n) e_k = q n, q >= 0.
///
/// In Bernstein form: an edge along e_k carries its multiplier as a pressure, p_e = λ_e d / (A n_e/2) (A twice the area of
/// a triangle, n_e triangles at the edge); a vertex the mean of its two edges along e_k; another edge the mean of its ends,
/// bent by the second differences along it and cut off at 0.
class LatticePressure
{
public:
  /// p: multipliers of the rows that mesh.constraint() numbers.
  LatticePressure(const TriangularMesh &mesh, const std::vector<int> &row_of_edge, const std::vector<int> &row_of_wall,
                  const Vector &p);

  /// Bernstein coefficients of p_k on a triangle (m²/s): v_0, v_1, v_2, then the edges v_0v_1, v_1v_2, v_2v_0.
  std::array<double, 6> coefficients(const TriangularMesh::Triangle &triangle, int k) const;

  /// q at both ends of an edge on a wall, where it is linear (m²/s).
  std::array<double, 2> wall_pressures(Index begin, int k) const;

private:
  enum Side
  {
    left,
    right
  };

  double at_vertex(const Index site, const int k, const Side side) const { return vertex(2 * k + side, mesh.node(site)); }
  double along(Index site, int k) const; ///< p_k at a vertex whichever side
  double on_edge(Index begin, int k, int across) const;
  bool   complete(Index site, int k, Side side) const;
  void   set_vertices();
  int    wall_direction(Index site) const;

  const TriangularMesh                    &mesh;
  std::vector<double>                      edge;    // 3 per site: p_e
  Vector                                   at_wall; // per node: p_k of the directions that cross the wall
  Eigen::Matrix<double, 6, Eigen::Dynamic> vertex;  // row 2k + side: p_k at a node as seen from one side of its line
};

/// η² = |v - u_p|² + 2∫ Σ p_k ∂_{e_k}(v·e_k) - 2∫_wall q v·n for v linear on triangles with nodal values u (2
/// per node), admissible. By Gauss's rule with 4 points per direction; where the boundary cuts triangles by points on lines
/// (triangular_lines.h). indicator: per triangle of mesh.triangles().
///   p         multipliers of the rows that mesh.constraint() numbers, then those of the crossings
///   feasible  false: v is known to violate a constraint
TotalBound lattice_total_bound(const Setting &setting, const TriangularMesh &mesh, const std::vector<int> &row_of_edge,
                               const std::vector<int> &row_of_wall, const std::vector<WallCrossing> &crossings,
                               const Vector &u, const Vector &p, bool feasible, const Progress &progress = {});
} // namespace moreau::macro

#endif
