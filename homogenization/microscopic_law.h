// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_HOMOGENIZATION_MICROSCOPIC_LAW_H
#define MOREAU_HOMOGENIZATION_MICROSCOPIC_LAW_H

#include "convex/cone_projection.h"
#include "homogenization/velocity_transfer.h"
#include "micro/contact_graph.h"
#include "parallel/shared_impact.h"

#include <memory>
#include <optional>

namespace moreau::homogenization
{
/// What is added where several processes have a level in parts: see packing_in_parts().
struct PackingParts
{
  parallel::SharedImpact                 impact; ///< the microscopic problem, in the metric of the cells
  std::shared_ptr<const convex::Sharing> cells;  ///< who has which of the spheres here
  std::optional<DelaunayMesh>            mesh;   ///< where it was asked for
};

/// The spheres of one level, with cells and contacts. A cellwise field has d numbers for each cell, interleaved; of a level
/// in parts, for each cell of this process.
struct Packing
{
  micro::Spheres           spheres; ///< masses are those of the cells: m_i = |D_i|; in parts those here, own ones first
  std::vector<micro::Wall> walls;
  micro::ContactGraph      graph; ///< in parts without contacts, which are the rows of parts->impact
  VoronoiCells             cells;
  Eigen::MatrixXd          mean_gradient; ///< D of a periodic box (d x d, 1/s); of size 0: none

  std::shared_ptr<const PackingParts> parts; ///< null: every process has everything

  /// domain: box and zone, processes: as VoronoiCells take them. Replaces the masses by the volumes of cells. Cells, graph
  /// and the fields of all that follows know of images where the box repeats itself.
  Packing(micro::Spheres spheres, std::vector<micro::Wall> walls, micro::ContactGraph graph, const macro::Domain &domain,
          const geometry::Processes &processes = {}, Eigen::MatrixXd mean_gradient = {});

  /// In parts.
  Packing(micro::Spheres spheres, std::vector<micro::Wall> walls, VoronoiCells cells,
          std::shared_ptr<const PackingParts> parts);

  Index n_spheres() const { return cells.count(cells.size()); } ///< of all processes
  Index n_contacts() const;                                     ///< likewise

  /// n_each numbers of each own sphere: those of all spheres here. All processes call.
  Vector with_ghosts(const Vector &own, Index n_each) const;
};

/// How a level is to be shared.
struct SharedLevel
{
  double contact_tolerance = micro::usual_contact_tolerance;
  bool   interpolant       = true; ///< with a Delaunay mesh
};

/// A level of which each process has a part: blocks of 4096 spheres along a Hilbert curve, with copies of the spheres around
/// them that matter for their cells and contacts. What comes out of study() is the same on any number of processes; they
/// call together.
///   given  the spheres that this process makes, perhaps none; they are numbered one process behind the other
/// Nothing, on all processes, where the level is left to those that have all of it: fewer than four blocks, radii that
/// differ, a zone that is not the box, no contacts, spheres that overlap, cells or Delaunay simplices that are wider than 12
/// diameters.
std::optional<Packing> packing_in_parts(const micro::Spheres &given, const std::vector<micro::Wall> &walls,
                                        const macro::Domain &domain, const SharedLevel &how,
                                        const geometry::Processes &processes);

/// e·(f_i - f_j) <= b: how fast a contact of spheres with the velocities f may close (m/s), 0 between two of them; of a wall
/// its own velocity V along e. With a mean gradient D the f are fluctuations, velocities less D r, and b is that of D:
/// e·De (R_i + R_j + gap) between spheres, e·(V - D r_i) at a wall.
double allowed_closing(const Packing &packing, const micro::Contact &contact);

/// The problem  ũ = P_{C_r} Ũ  in the metric of the cells, Σ |D_i| u_i·v_i (BM, eq. 38): with it φ_n is a composition
/// of orthogonal projections in L²(ω), so that |φ_n(U)| <= |U|.
///   U_tilde  d n, interleaved by sphere (m/s); with a mean gradient fluctuations, as ũ then is
convex::ProjectionProblem microscopic_problem(const Packing &packing, const Vector &U_tilde);

/// The largest (e·(f_i - f_j) - b)⁺, b = allowed_closing(), of a cellwise field f over contacts (m/s): by how much it fails
/// to lie in C_n.
/// whole_only: only contacts of cells that no boundary cuts.
double violation(const Packing &packing, const Vector &f, bool whole_only = false);

/// How far a cellwise v is from being admissible for a directional macroscopic cone in the shifted sense (mathematics: after
/// BM, prop. 7): the largest of -(v(x + s e_k) - v(x))·e_k over cells x with a neighbour at distance s = 2R along e_k. 0 to
/// round-off on lattices whose contacts are the directions of the cone. With a mean gradient D the velocity is D x + v, v
/// being the fluctuations.
double shifted_violation(const Packing &packing, const Vector &v, const Eigen::MatrixXd &directions);

/// The largest violation of ∂_{e_k}(v·e_k) >= 0 by a cellwise v, as a jump (m/s): over faces of cells crossed along e_k,
/// also those that no contact controls. 0 to round-off for the square lattice and its cone; positive in general on hexagons.
/// With a mean gradient D the velocity D x + v has the jumps of the fluctuations v, and D where it is smooth.
double face_violation(const Packing &packing, const Vector &v, const Eigen::MatrixXd &directions);

/// The same for any cone without a direction field, the jump a from cell to cell across a face with the normal n being
/// a⊗n in the place of ∇v: (-a·n)⁺ for the isotropic cone, (s d (|a| - a·n)/2 - (1-s) a·n)⁺ for dilatant cones (all
/// directions), (s√(d(d-1)) |dev a⊗n| - a·n)⁺ for circular ones, s at a point of the face.
double face_violation(const Packing &packing, const Vector &v, const macro::Cone &cone);
} // namespace moreau::homogenization

#endif
