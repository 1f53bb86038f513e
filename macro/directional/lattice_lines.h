// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MACRO_DIRECTIONAL_LATTICE_LINES_H
#define MOREAU_MACRO_DIRECTIONAL_LATTICE_LINES_H

#include "macro/directional/lattice_mesh.h"
#include "macro/total_bound.h"

#include <array>

namespace moreau::macro
{
/// Pressures of the triangular cone on the lines of a zone that end where the zone ends, as good as can be.
///
/// The centres of all parts of the triangles, divided into nine, lie on lines in all three directions. A point stands for
/// the piece of each of its lines up to the middle between it and its neighbours, or up to the end of the zone. p_k is
/// linear on these pieces, 0 at the ends, >= 0: u_p = U - Σ e_k s_k with the slopes s_k. As η² is |u_p|² and what does not
/// depend on p, the best p is what makes |u_p| least: line by line this is an isotonic regression, and direction after
/// direction again and again (Dykstra's algorithm) tends to the least of all. It begins with the multipliers of the edges.
class LatticeLines
{
public:
  /// Without walls. row_of_edge, p: of mesh.constraint() and the solution. Refers to setting and mesh.
  LatticeLines(const Setting &setting, const TriangularMesh &mesh, const std::vector<int> &row_of_edge, const Vector &p);

  /// Sweeps over the three directions until one gains less than `least_gain` of the gap that v (2 per node) leaves.
  void polish(const Vector &v, double least_gain, int most_sweeps);

  /// The bound with v, by the points: an estimate. indicator: per triangle of the mesh.
  TotalBound bound(const Vector &v) const;

  int n_sweeps() const { return sweeps; } ///< of polish()

private:
  /// The points on the lines along e_k, line after line.
  struct Family
  {
    std::vector<int>    point, run_start;
    std::vector<double> before, behind; ///< the piece of the point reaches so far (m)
    std::vector<double> slope;          ///< s_k on the piece (m/s)

    Index n_runs() const { return static_cast<Index>(run_start.size()) - 1; }
  };

  Index           place(Index i, Index j, int t) const { return 2 * (i + n_i * j) + t; }
  Eigen::Vector2d position(int point) const { return x.col(point); }
  void            find_points();
  void            find_lines(int k);
  void            find_ends(int k);
  void            start(int k, const std::vector<int> &row_of_edge, const Vector &p);
  void            sweep(int k);
  Vector          pressures(const Family &family, Index run) const;
  double          interpolated(const Eigen::Vector2d &at, int k, const std::vector<int> &row_of_edge, const Vector &p) const;
  Eigen::Vector2d velocity(const Eigen::Vector2d &at, const Vector &v, int near) const;
  GapIntegrals    integrals(const Vector &v, Vector &indicators) const;

  const Setting        &setting;
  const TriangularMesh &mesh;
  double                spacing;  // of the points along a line
  Index                 n_i, n_j; // parallelograms of the parts
  std::vector<int>      point_at; // by place()
  std::vector<Index>    place_of;
  std::vector<int>      triangle; // per point, of mesh.triangles()
  Eigen::Matrix2Xd      x, U, u_p;
  Vector                weight; // m²
  std::array<Family, 3> families;
  int                   sweeps = 0;
};
} // namespace moreau::macro

#endif
