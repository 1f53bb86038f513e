// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_HOMOGENIZATION_MICROSCOPIC_LAW_H
#define MOREAU_HOMOGENIZATION_MICROSCOPIC_LAW_H

#include "convex/cone_projection.h"
#include "homogenization/velocity_transfer.h"
#include "micro/contact_graph.h"

namespace moreau::homogenization
{
/// The spheres of one level, with cells and contacts.
struct Packing
{
  micro::Spheres           spheres; ///< masses are those of the cells: m_i = |D_i|
  std::vector<micro::Wall> walls;
  micro::ContactGraph      graph;
  VoronoiCells             cells;

  /// domain: box and zone, processes: as VoronoiCells take them. Replaces the masses by the volumes of cells.
  Packing(micro::Spheres spheres, std::vector<micro::Wall> walls, micro::ContactGraph graph, const macro::Domain &domain,
          const geometry::Processes &processes = {});
};

/// The problem  ũ = P_{C_r} Ũ  in the metric of the cells, Σ |D_i| u_i·v_i (BM, eq. 38): with it φ_n is a composition
/// of orthogonal projections in L²(ω), so that |φ_n(U)| <= |U|.
///   U_tilde  d n, interleaved by sphere (m/s)
convex::ProjectionProblem microscopic_problem(const Packing &packing, const Vector &U_tilde);

/// The largest (e·(f_i - f_j))⁺ of a cellwise field f over contacts (m/s): by how much it fails to lie in C_n.
/// whole_only: only contacts of cells that no boundary cuts.
double violation(const Packing &packing, const Vector &f, bool whole_only = false);

/// How far a cellwise v is from being admissible for a directional macroscopic cone in the shifted sense (mathematics: after
/// BM, prop. 7): the largest of -(v(x + s e_k) - v(x))·e_k over cells x with a neighbour at distance s = 2R along e_k. 0 to
/// round-off on lattices whose contacts are the directions of the cone.
double shifted_violation(const Packing &packing, const Vector &v, const Eigen::MatrixXd &directions);

/// The largest violation of ∂_{e_k}(v·e_k) >= 0 by a cellwise v, as a jump (m/s): over faces of cells crossed along e_k,
/// also those that no contact controls. 0 to round-off for the square lattice and its cone; positive in general on hexagons.
double face_violation(const Packing &packing, const Vector &v, const Eigen::MatrixXd &directions);

/// The same for any cone without a direction field, the jump a from cell to cell across a face with the normal n being
/// a⊗n in the place of ∇v: (-a·n)⁺ for the isotropic cone, (s d (|a| - a·n)/2 - (1-s) a·n)⁺ for dilatant cones (all
/// directions), (s√(d(d-1)) |dev a⊗n| - a·n)⁺ for circular ones, s at a point of the face.
double face_violation(const Packing &packing, const Vector &v, const macro::Cone &cone);
} // namespace moreau::homogenization

#endif
