// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MACRO_DIRECTIONAL_LATTICES_LATTICE_MESH_H
#define MOREAU_MACRO_DIRECTIONAL_LATTICES_LATTICE_MESH_H

#include "convex/constraint_operator.h"
#include "macro/directional/lattices/cut_triangles.h"
#include "geometry/quadrature.h"
#include "macro/vocabulary.h"

#include <algorithm>
#include <unordered_map>

/// Equilateral triangles whose edges are those of a triangular lattice. P1 velocities satisfy the triangular cone exactly
/// iff their nodal values satisfy the inequalities of the lattice.
///
/// Sites are numbered on a parallelogram that covers the box with a margin. E[k] is the step to the next site along e_k.
/// Every site s anchors two triangles, both counterclockwise:
///
///     up   (t = 0)   v_0 = s,      v_{k+1} = v_k + E[k]     edge k runs along  e_k
///     down (t = 1)   v_0 = s + N + 1, v_{k+1} = v_k - E[k]     edge k runs along -e_k        (N sites per row)
///
/// An edge is named by the site where it begins, seen along e_k, and by k.
///
/// Where edges are torn (torn_triangles.h) velocities may jump: sites that they end in have a node for every side.
namespace moreau::macro
{
class TriangularMesh
{
public:
  static constexpr int none = -1;

  enum class Place : char
  {
    outside,
    in_zone,
    behind_wall ///< beyond a side of the box that is a wall and a line of the lattice
  };

  struct Triangle
  {
    Index anchor;
    int   t; ///< 0 up, 1 down
  };

  /// Spacing 1/cells_per_unit_length, a site in the lower corner of the box. A triangle belongs to the zone where a
  /// part of it is saturated, unless that is less than 1e-2 of it (1e-8 where it touches a wall); its corners are
  /// nodes all the same.
  explicit TriangularMesh(const Setting &setting, const Progress &progress = {});

  double                             spacing() const { return d; }
  const Eigen::Matrix<double, 2, 3> &directions() const { return e; }
  double                             area() const { return std::sqrt(3.) / 4. * d * d; } ///< of a triangle (m²)
  const std::vector<Triangle>       &triangles() const { return in_zone; }
  Index                              n_nodes() const { return static_cast<Index>(sites.size()); }
  Index                              n_sites() const { return static_cast<Index>(nodes.size()); }
  Index                              n_sites_per_row() const { return n_i; }
  int                                node(const Index site) const { return nodes[site]; } ///< the first of it, or none
  int node(const Triangle &triangle, const int k) const ///< of corner k, as the triangle sees it
  {
    const Index site = vertex(triangle, k);
    if (corners_of_torn.empty())
      return nodes[site];
    const auto torn = corners_of_torn.find(3 * (2 * triangle.anchor + triangle.t) + k);
    return torn == corners_of_torn.end() ? nodes[site] : torn->second;
  }
  Index                       site(const Index node) const { return sites[node]; }
  Eigen::Vector2d             position(Index site) const;                                     ///< (m)
  Eigen::Matrix<double, 2, 3> corners(const Triangle &triangle) const;                        ///< counterclockwise (m)
  bool                        zone_is_triangles() const { return n_whole == in_zone.size(); } ///< as samples tell
  /// False where the zone is made of triangles as samples tell, but the density of one may not be the same all over it.
  bool        zone_is_seen() const { return is_seen; }
  std::size_t n_whole_triangles() const { return n_whole; }
  bool        is_whole(const Triangle &triangle) const { return part(triangle.anchor, triangle.t) == 1.; }
  /// The saturated part of a triangle, in [0,1]; 0 where it does not belong to the zone.
  double part(const Index anchor, const int t) const { return parts[2 * anchor + t]; }
  double zone_area() const ///< of the saturated parts of all triangles (m²)
  {
    double sum = 0.;
    for (const Triangle &triangle : in_zone)
      sum += part(triangle.anchor, triangle.t);
    return sum * area();
  }
  const Sides &oblique_walls() const { return oblique; } ///< those that are no lines of the lattice: they cut triangles
  double       zone_error() const { return of_area; }    ///< of that, estimated, what was left out included (m²)
  /// What triangles that the boundary cuts have of the zone.
  const CutTriangle &cut_triangle(const Triangle &triangle) const { return cut.at(2 * triangle.anchor + triangle.t); }
  /// Centres (m) and areas (m²) of what is saturated in triangles that do not belong to the zone all the same.
  const std::vector<std::pair<Eigen::Vector2d, double>> &left_out() const { return slivers; }

  /// The triangle of the zone that x lies in, and where; false where there is none.
  bool containing(const Eigen::Vector2d &x, Triangle &triangle, Eigen::Vector3d &barycentric) const;

  /// The point of the zone nearest to x: a triangle and barycentric coordinates on it. Returns its distance from x (m),
  /// infinity where the zone is about two spacings away or more.
  double nearest(const Eigen::Vector2d &x, Triangle &triangle, Eigen::Vector3d &barycentric) const;

  /// Gives the sites at the ends of these edges (3 site + k) as many nodes as they have sides.
  void tear(std::vector<Index> edges);
  bool is_torn(const Index site, const int k) const
  {
    return std::binary_search(of_tears.begin(), of_tears.end(), 3 * site + k);
  }
  const std::vector<Index> &torn_edges() const { return of_tears; } ///< 3 site + k, in order
  bool                      touches_tear(Index site) const;         ///< whether torn edges end there
  /// The triangles beside an edge: to the left of e_k, and to the right.
  Triangle left_of(const Index site, const int k) const { return {site - up[k], 0}; }
  Triangle right_of(const Index site, const int k) const { return {site - down[(k + 1) % 3], 1}; }
  /// Coordinates along e_0 and -e_2, in spacings; sites have whole ones.
  Eigen::Vector2d coordinates(const Eigen::Vector2d &x) const { return to_lattice * (x - origin); }
  /// The triangle of the lattice that x lies in, of the zone or not.
  Triangle triangle_at(const Eigen::Vector2d &x) const
  {
    const Eigen::Vector2d s = coordinates(x), first = s.array().floor();
    return {static_cast<Index>(first(0)) + n_i * static_cast<Index>(first(1)), (s - first).sum() < 1. ? 0 : 1};
  }

  Index step(const int k) const { return E[k]; }
  Index vertex(const Triangle &triangle, const int k) const
  {
    return triangle.t == 0 ? triangle.anchor + up[k] : triangle.anchor + down[k];
  }
  Place place(const Index anchor, const int t) const { return places[2 * anchor + t]; }
  /// Of the triangle of this kind whose vertex v_k a site is; k is taken modulo 3.
  Place place_at(const Index site, const int k, const int t) const
  {
    return place(site - (t == 0 ? up[k % 3] : down[k % 3]), t);
  }
  /// Edge k of a triangle: the site where it begins along e_k.
  Index edge(const Triangle &triangle, const int k) const { return vertex(triangle, triangle.t == 0 ? k : (k + 1) % 3); }
  /// Triangles of the zone at an edge: 0, 1 or 2.
  int n_triangles_at(const Index site, const int k) const
  {
    return (place_at(site, k, 0) == Place::in_zone) + (place_at(site, k + 1, 1) == Place::in_zone);
  }
  /// The same with each triangle counting with its part.
  double parts_at(const Index site, const int k) const
  {
    const Index left = site - up[k], right = site - down[(k + 1) % 3];
    return part(left, 0) + part(right, 1);
  }
  /// Whether the edge lies on a wall of the zone.
  bool on_wall(const Index site, const int k) const
  {
    return n_triangles_at(site, k) == 1 &&
           (place_at(site, k, 0) == Place::behind_wall || place_at(site, k + 1, 1) == Place::behind_wall);
  }

  /// Lumped masses ∫_D λ, D the zone: a third of the whole triangles around a node. Where no triangle is cut, at corners
  /// between two straight sides A/4, half of a side's: then all rows that end on a side carry the same weight (A = 2
  /// area()).
  Vector masses() const;

  /// Nodal values that reproduce linear U away from cut triangles, and are means of U over the triangles around:
  /// Σ_T ∫_T ψU / Σ_T ∫_T ψ, ψ = 4λ - 1 dual to the hat functions λ; λ itself where T is cut or U jumps in it.
  Vector nodal_values(const Setting &setting, const Progress &progress = {}) const;

  /// B: for every edge of the zone along e_k a row -e_k·(v_j - v_i) <= 0, family after family, two where it is torn; then
  /// v·n <= 0 at nodes on walls; then what torn edges ask for: (e_j·n)(e_j·[v]) >= 0 at their ends for the e_j that cross
  /// them.
  /// row_of_edge: 3 per site, the first of two where the edge is torn; row_of_wall: 1 per node; none where there is no row.
  std::shared_ptr<const convex::PairConstraint> constraint(std::vector<int> &row_of_edge,
                                                           std::vector<int> &row_of_wall) const;

  /// Multipliers of the rows of an edge together, 0 where there is none.
  double multiplier(const Index site, const int k, const std::vector<int> &row_of_edge, const Vector &p) const
  {
    const int row = row_of_edge[3 * site + k];
    return row == none ? 0. : std::max(0., p(row)) + (is_torn(site, k) ? std::max(0., p(row + 1)) : 0.);
  }

  /// Positions of barycentric points in triangles first ... last-1: 2 x (n * triangles).
  void points(Index first, Index last, const Eigen::MatrixXd &barycentric, Eigen::MatrixXd &x) const;

private:
  /// Pairs of nodes (from, to) at the ends of torn edges between which an e_j opens or closes, and j; each once.
  std::vector<std::pair<std::pair<int, int>, int>> jumps() const;

  void find_lines_of_walls(const Setting &setting);
  void find_zone(const Setting &setting, const Progress &progress);
  void cut_zone(const Setting &setting, const std::vector<Triangle> &candidates);
  void look_between_samples(const Domain &domain); ///< sets is_seen
  bool locate(const Eigen::Vector2d &x, Index &i, Index &j, Eigen::Vector2d &local) const;
  void number_nodes();
  std::vector<Eigen::Matrix<double, 2, 3>> corners_of(const std::vector<Triangle> &triangles) const;

  double                                 d;
  Eigen::Matrix<double, 2, 3>            e;
  Eigen::Vector2d                        origin;     // of site (0, 0)
  Eigen::Matrix2d                        to_lattice; // from positions to coordinates along e_0 and -e_2, in spacings
  Index                                  n_i, n_j;
  Index                                  E[3], up[3], down[3];
  Sides                                  walls = {}, oblique = {}; // lines of the lattice, and others
  std::vector<Place>                     places;
  std::vector<int>                       nodes;
  std::vector<Index>                     sites;
  std::vector<Triangle>                  in_zone;
  std::vector<float>                     parts; // 2 per site
  std::unordered_map<Index, CutTriangle> cut;   // by 2 anchor + t
  std::size_t                            n_whole = 0;
  bool                                   is_seen = true;
  double                                 of_area = 0.;
  std::vector<Index>                     of_tears;
  std::unordered_map<Index, int>         corners_of_torn; // by 3 (2 anchor + t) + k: nodes that are not the first of a site

  std::vector<std::pair<Eigen::Vector2d, double>> slivers;
};
} // namespace moreau::macro

#endif
