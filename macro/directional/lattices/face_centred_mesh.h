// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MACRO_DIRECTIONAL_LATTICES_FACE_CENTRED_MESH_H
#define MOREAU_MACRO_DIRECTIONAL_LATTICES_FACE_CENTRED_MESH_H

#include "macro/directional/lattices/cut_tetrahedra.h"
#include "macro/directional/zone.h"

#include <unordered_map>

/// Tetrahedra of a face-centred cubic lattice.
///
/// The sites are the points x = origin + h R (i, j, k) with i + j + k even, h = d/√2, d the spacing. They lie between
/// tetrahedra, whose edges are directions of the lattice, and octahedra around the points with i + j + k odd. These
/// centres are nodes, too, and divide each octahedron into eight tetrahedra. In other words, the cubes of side h consist of
///
///     the regular tetrahedron of their sites (t = 0), and
///     a corner piece at each of their centres (t = 1 ... 4): the centre, then the sites beside it along the axes.
///
/// All mirrors and turns of the lattice map the mesh to itself, and boxes whose sides are planes of it are unions of cubes.
/// Where U jumps on facets velocities may, too (torn_velocity.h).
/// P1 velocities satisfy the cone iff edges between sites do not become shorter, nor the distance of the middle of such an
/// edge of an octahedron from its centre, as seen along the direction that leads there.
namespace moreau::macro
{
class FaceCentredMesh
{
public:
  static constexpr int none = -1, per_cube = 5;

  /// Spacing 1/cells_per_unit_length, a site in the lower corner of the box. A tetrahedron belongs to the zone where a part
  /// of it is saturated, unless that is less than 1e-3 of it.
  /// Throws InputError("the walls", ...) where a wall is no plane of the mesh.
  explicit FaceCentredMesh(const Setting &setting);

  double                 spacing() const { return d; }
  double                 side() const { return std::sqrt(.5) * d; } ///< of the cubes
  const DirectionalZone &zone() const { return of_zone; }           ///< nodes and tetrahedra, all of which it holds
  Index                  n_nodes() const { return of_zone.zone.mesh.n_points(); }
  Index                  n_tetrahedra() const { return static_cast<Index>(places.size()); }
  Index                  n_whole() const { return whole; }
  /// False where the zone is made of tetrahedra as samples tell, but the density of one may not be the same all over it.
  bool                  zone_is_seen() const { return is_seen; }
  bool                  is_regular(const Index q) const { return places[q] % per_cube == 0; } ///< no piece of an octahedron
  bool                  is_whole(const Index q) const { return parts[q] == 1.f; }
  double                part(const Index q) const { return parts[q]; } ///< that is saturated, in (0,1]
  double                volume(const Index q) const { return part(q) * of_zone.zone.volumes(q); } ///< of that (m³)
  const CutTetrahedron &cut(const Index q) const { return of_cut.at(q); }                         ///< not whole
  bool   zone_is_tetrahedra() const { return whole == n_tetrahedra() && slivers.empty(); }        ///< as samples tell
  double zone_error() const { return of_volume; } ///< of the volume of the zone, estimated (m³)
  /// Centres (m) and volumes (m³) of what is saturated in tetrahedra that do not belong to the zone all the same.
  const std::vector<std::pair<Eigen::Vector3d, double>> &left_out() const { return slivers; }

  /// Lumped masses ∫_D λ, D the zone.
  Vector masses() const;

  /// Nodal values that reproduce linear U away from cut tetrahedra, and are means of U over those around:
  /// Σ_T ∫_T ψU / Σ_T ∫_T ψ, ψ = 5λ - 1 dual to the hat functions λ; λ itself where T is cut or U jumps in it (3 x
  /// n_nodes).
  Eigen::MatrixXd nodal_values(const Setting &setting, const Progress &progress = {}) const;

  /// The cube that x lies in and where, in [0,1)³; none beyond the lattice.
  Index cube_of(const Eigen::Vector3d &x, Eigen::Vector3d &local) const;
  Index cube_of(const Index q) const { return places[q] / per_cube; } ///< that tetrahedron q is a part of
  /// The tetrahedron of a cube that such a point lies in, and its barycentric coordinates there.
  int kind_of(Index cube, const Eigen::Vector3d &local, Eigen::Vector4d &barycentric) const;
  /// The tetrahedron of the zone that holds x, and barycentric coordinates; none where there is none.
  int containing(const Eigen::Vector3d &x, Eigen::Vector4d &barycentric) const;
  /// Number of a tetrahedron; none where it does not belong to the zone.
  int                  number(const Index cube, const int t) const { return numbers[per_cube * cube + t]; }
  Index                cube_at(const std::array<Index, 3> &at) const { return at[0] + n[0] * (at[1] + n[1] * at[2]); }
  std::array<Index, 3> coordinates(const Index cube) const
  {
    return {cube % n[0], cube / n[0] % n[1], cube / (n[0] * n[1])};
  }
  const std::array<Index, 3> &n_cubes() const { return n; }
  /// Points of cubes (m): s in sides from their lower corners.
  Eigen::Vector3d position(const std::array<Index, 3> &cube, const Eigen::Vector3d &s) const
  {
    return origin + frame * (Eigen::Vector3d(cube[0], cube[1], cube[2]) + s);
  }
  /// In sides, from the lower corner of the first cube; centres and sites have whole coordinates.
  Eigen::Vector3d in_sides(const Eigen::Vector3d &x) const { return to_cubes * (x - origin); }
  /// The tetrahedron of the zone nearest to x, at least roughly, with barycentric coordinates that are cut off at 0.
  /// Returns the distance (m), infinity where the zone is about two spacings away or more.
  double nearest(const Eigen::Vector3d &x, int &tetrahedron, Eigen::Vector4d &barycentric) const;

  /// Barycentric coordinates of any point on a tetrahedron.
  Eigen::Vector4d barycentric(const Index q, const Eigen::Vector3d &x) const
  {
    return (of_zone.zone.gradients_of(q).transpose() * (x - of_zone.zone.mesh.centroid(q))).array() + .25;
  }

  /// Linear velocities with nodal values u (3 per node).
  Eigen::Vector3d velocity(const Vector &u, const Index q, const Eigen::Vector4d &barycentric) const
  {
    Eigen::Vector3d v = Eigen::Vector3d::Zero();
    for (int i = 0; i < 4; ++i)
      v += barycentric(i) * u.segment<3>(3 * static_cast<Index>(of_zone.zone.mesh.simplices(i, q)));
    return v;
  }

private:
  void        check_walls(const Setting &setting) const;
  void        find_zone(const Setting &setting);
  void        look_between_samples(const Domain &domain); ///< sets is_seen
  void        number_nodes(const Setting &setting);
  int         parity(const std::array<Index, 3> &cube) const { return (cube[0] + cube[1] + cube[2] + odd) % 2; }
  Tetrahedron corners(Index place) const;

  double                                    d;
  std::array<Index, 3>                      n;      // cubes
  int                                       odd;    // 1 where the origin is no site
  Eigen::Vector3d                           origin; // of cube (0, 0, 0)
  Eigen::Matrix3d                           frame, to_cubes;
  Sides                                     walls;
  std::vector<int>                          numbers; // 5 per cube
  std::vector<Index>                        places;
  std::vector<float>                        parts;
  std::unordered_map<Index, CutTetrahedron> of_cut;
  DirectionalZone                           of_zone;
  Index                                     whole     = 0;
  bool                                      is_seen   = true;
  double                                    of_volume = 0.;

  std::vector<std::pair<Eigen::Vector3d, double>> slivers;
};
} // namespace moreau::macro

#endif
