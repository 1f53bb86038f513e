// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_HOMOGENIZATION_VORONOI_H
#define MOREAU_HOMOGENIZATION_VORONOI_H

#include "geometry/processes.h"
#include "homogenization/periodic_images.h"
#include "macro/discretize.h"
#include "micro/spheres.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace moreau::homogenization
{
using Eigen::Index;
using Vector = Eigen::VectorXd;

struct Outlines;
struct Triangulation;

/// The spheres that one of several processes has: its own, then some of others. Without numbers: all there are.
struct SpheresHere
{
  Index              n_own = 0;
  std::vector<Index> number;     ///< of each among those of all processes; own ones are consecutive, whole blocks of 4096
  std::vector<Index> place;      ///< of each: how it was numbered where it came from, for who reads
  double             reach = 0.; ///< all spheres are here whose centres are that near to one of an own sphere (m)
  /// And all wide ones are, those whose Voronoi cells reach half as far or farther, the box aside: then no other sphere
  /// changes a cell or a Delaunay simplex of an own one, whatever its size. For let an empty ball at the centre of an own
  /// sphere grow until it first meets a sphere that is not here: its centre lies in the cell of that sphere, half the reach
  /// or more away.
  bool with_wide = false;

  bool  in_parts() const { return !number.empty() || reach > 0.; }
  Index number_of(const Index k) const { return number.empty() ? k : number[k]; }
  Index place_of(const Index k) const { return place.empty() ? k : place[k]; }
};

/// The cells D_i of spheres, cut to the saturated zone ω (BM, §5.1): ω is the union of the D_i, which overlap in faces only.
///     D_i = { x in ω : |x - r_i|² - R_i² <= |x - r_j|² - R_j²  for all j },
/// Voronoi cells where all radii are equal, power cells elsewhere (every
/// sphere lies in its own cell, since spheres do not overlap).
///
/// A cell is a convex polytope, the part of the box that is nearest to a sphere, its *outline*; where the boundary of ω
/// runs through it, only pieces of it count, simplices that fill its part of ω. A boundary is found by bisection along
/// edges of simplices, so that plane boundaries are cut exactly and curved ones with an error that volume_error() estimates.
class VoronoiCells
{
public:
  /// domain: the box and the density, whose saturated part is ω. Where the box repeats itself cells are those among the
  /// spheres and all their images: they may stick out of the box, and with their images they fill it.
  /// Throws InputError("the zone", ...) naming the sphere for a centre outside the
  /// box or the zone, and for a cell without volume; and InputError("the zone", ...) for a density in a periodic box.
  ///   processes  that have the same cells and share integrals over them
  VoronoiCells(const micro::Spheres &spheres, const macro::Domain &domain, const geometry::Processes &processes = {});

  /// The cells of a process' own spheres; cell i is that of sphere i, and behind its faces are spheres that are here. All
  /// processes call; the cells are the same on any number of them. Nothing, on all, where a cell reaches so far that spheres
  /// that are not here may cut it.
  ///   found  of the spheres here; in space used for wide cells only
  static std::optional<VoronoiCells> of_part(const micro::Spheres &spheres, const Triangulation &found,
                                             const macro::Domain &domain, SpheresHere here,
                                             const geometry::Processes &processes);

  /// That have the same cells; or, in_parts(), each its own.
  const geometry::Processes &processes() const { return shared_by; }
  bool                       in_parts() const { return here.in_parts(); }
  const SpheresHere         &spheres() const { return here; }

  Index dimension() const { return dim; }
  Index size() const { return static_cast<Index>(volume.size()); } ///< of own ones, where they are in_parts()

  /// Σ over all cells, those of other processes included, by blocks of 4096: add(i, sum) adds n numbers of cell i here to
  /// what it has been given. Called from several threads. The same on any number of processes, which call together.
  Vector sum(Index n, const std::function<void(Index i, Vector &sum)> &add) const;
  double sum(const std::function<double(Index i)> &term) const;

  /// What is found in the cells here, of all cells.
  double max(double local) const { return in_parts() ? shared_by.max(local) : local; }
  Index  count(Index local) const { return in_parts() ? shared_by.sum(local) : local; }

  /// |D_i| (m^d), all positive: the weights of the restriction.
  const Vector &volumes() const { return volume; }
  /// Estimated error of the sum of volumes that comes from boundaries that are not plane (m^d); 0 where ω is the box.
  double volume_error() const { return error_of_volume; }

  /// Whether D_i ends at the boundary of the box or of the zone (a face of
  /// positive area; one that only touches does not count).
  bool is_cut(const Index i) const { return cut[i] != 0; }
  /// Whether the boundary of the zone runs through the outline of cell i, so that D_i is less than it.
  bool has_pieces(const Index i) const { return piece_of_cell[i] >= 0; }

  /// Vertices of the outline: dim x n; counterclockwise in the plane, from left to right in dimension 1.
  Eigen::Map<const Eigen::MatrixXd> outline(const Index i) const
  {
    return {vertices.data() + dim * vertex_start[i], dim, vertex_start[i + 1] - vertex_start[i]};
  }
  /// Faces of the outline in space: number of vertices, then these (positions in outline(i)), outward; face after face.
  std::pair<const int *, const int *> faces(const Index i) const
  {
    return {face_vertices.data() + face_start[i], face_vertices.data() + face_start[i + 1]};
  }

  /// What lies behind each face of the outline (edge k from vertex k to k+1 in the plane, left and right end in dimension 1,
  /// in the order of faces(i) in space): another cell, or `box` for a side of the box. In a periodic box it may be an image
  /// of that cell, and a cell be behind several faces, or behind its own.
  static constexpr int                box = -1;
  std::pair<const int *, const int *> neighbours(const Index i) const
  {
    return {behind_face.data() + behind_start[i], behind_face.data() + behind_start[i + 1]};
  }

  /// D_i as simplices without overlap: dim x (dim+1) k, corners of one after the other.
  void simplices(Index i, Eigen::MatrixXd &corners) const;

  /// "segments", "Voronoi cells, 512 of 1000 translates of one", "power cells": for the log.
  const std::string &description() const { return words; }

private:
  VoronoiCells(Outlines outlines, SpheresHere here, const geometry::Processes &processes);
  void require_filled_box(const macro::Domain &domain) const;
  void cut_to_zone(const micro::Spheres &spheres, const macro::Domain &domain);
  void check_volumes(const micro::Spheres &spheres) const;

  geometry::Processes shared_by;
  SpheresHere         here;
  Index               dim;
  Eigen::MatrixXd     vertices; // dim x all
  std::vector<Index>  vertex_start;
  std::vector<int>    face_vertices; // space only
  std::vector<Index>  face_start;
  std::vector<int>    behind_face;
  std::vector<Index>  behind_start;
  std::vector<Index>  piece_of_cell; // position in piece_start, or -1
  Eigen::MatrixXd     pieces;        // dim x (dim+1) all
  std::vector<Index>  piece_start;   // in simplices
  Vector              volume;
  std::vector<char>   cut;
  double              error_of_volume = 0.;
  std::string         words;
};

/// Simplices between the centres of spheres: the second prolongation is linear on each of them.
struct DelaunayMesh
{
  Index            dim = 0;
  std::vector<int> corners; ///< dim+1 spheres per simplex, positively oriented

  /// Of a mesh in parts: the first simplex of each block of 512 own spheres, and how many simplices there are.
  std::vector<Index> block_begin = {};

  Index n_simplices() const { return static_cast<Index>(corners.size()) / (dim + 1); }
};

/// The Delaunay mesh of the centres (segments in dimension 1), without slivers on the hull (less than 1e-9 of the largest
/// volume) and without simplices whose centroid lies outside the zone.
DelaunayMesh delaunay_mesh(const micro::Spheres &spheres, const macro::Domain &domain);

/// That of a box that repeats itself along all axes: of centres and images.
struct PeriodicDelaunayMesh
{
  PeriodicImages images;
  DelaunayMesh   mesh; ///< its corners are among the images
};

/// Of simplices that are images of each other the one whose corner with the lowest original, and of several images of that
/// the one that comes first by its periods, is a sphere of the box. They fill as much as the box.
PeriodicDelaunayMesh periodic_delaunay_mesh(const micro::Spheres &spheres, const macro::Domain &domain);

/// Of the mesh of a box the simplices whose corner with the lowest number is an own sphere, ordered by these numbers: the
/// same on any number of processes, which call together. Nothing, on all, where a sphere that is not here may change one of
/// them.
std::optional<DelaunayMesh> delaunay_mesh(const Triangulation &found, const micro::Spheres &spheres,
                                          const macro::Domain &domain, const SpheresHere &here,
                                          const geometry::Processes &processes);
} // namespace moreau::homogenization

#endif
