// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MACRO_DIRECTIONAL_SIMPLEX_MESH_H
#define MOREAU_MACRO_DIRECTIONAL_SIMPLEX_MESH_H

#include "geometry/box_grid.h"
#include "geometry/quadrature.h"
#include "macro/vocabulary.h"

#include <array>
#include <vector>

/// Segments, triangles, tetrahedra: simplices with dim + 1 vertices λ_0 ... λ_dim (barycentric coordinates), and the part
/// of such a mesh that is saturated.
namespace moreau::macro
{
/// Small matrices of one simplex, without heap: at most 4 x 4.
using SimplexMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::ColMajor, 4, 4>;

struct SimplexMesh
{
  Eigen::MatrixXd points;    ///< dim x n_points (m)
  Eigen::MatrixXi simplices; ///< (dim + 1) x n_simplices: points of each
  /// Of a box that repeats itself, per axis (m), 0 for axes that do not; of length 0: none does. Points on its upper sides
  /// are those on the lower ones, and simplices have them where they lie in the box. At least three cells along the axis.
  Vector period = {};

  int   dim() const { return static_cast<int>(points.rows()); }
  Index n_points() const { return points.cols(); }
  Index n_simplices() const { return simplices.cols(); }

  /// Vertices of a simplex (dim x (dim + 1)), next to each other.
  SimplexMatrix vertices(Index simplex) const;
  Vector        centroid(Index simplex) const;
  double        volume(Index simplex) const; ///< (m^d)
};

/// Every cell of the box cut into dim! simplices along the diagonal from its lower to its upper corner (Kuhn): 2 right
/// triangles or 6 tetrahedra. All of them are translates of those of one cell, and neighbours match.
SimplexMesh kuhn_subdivision(const BoxGrid &grid);

/// The same with one point for all that the box has over its sides along periodic axes. Throws
/// InputError("the cells per unit length", ...) where there are fewer than three cells along one.
SimplexMesh with_periodic_sides(SimplexMesh mesh, const BoxGrid &grid, const std::array<bool, 3> &periodic);

/// A side of a simplex: what its vertex `opposite` does not belong to; the simplex behind it, -1 where the zone ends.
struct Facet
{
  int simplex, opposite;
  int neighbour, opposite_of_neighbour;
};

/// f(i, j) for the vertices that the two simplices of a facet have in common, by place: number i of the first, j of its
/// neighbour.
template <class F>
void for_common_vertices(const SimplexMesh &mesh, const Facet &facet, const F &f)
{
  for (int i = 0; i <= mesh.dim(); ++i)
    for (int j = 0; j <= mesh.dim(); ++j)
      if (i != facet.opposite && j != facet.opposite_of_neighbour &&
          mesh.points.col(mesh.simplices(i, facet.simplex)) == mesh.points.col(mesh.simplices(j, facet.neighbour)))
        f(i, j);
}

/// The saturated simplices. Nodes are vertices as they are seen from the simplices: where two parts of the zone touch in a
/// vertex (or an edge) only, each has a node of its own, because nothing is transmitted there.
struct SimplexZone
{
  SimplexMesh        mesh;            ///< nodes and saturated simplices
  std::vector<int>   simplex_of_cell; ///< in the whole mesh
  std::vector<Facet> facets;          ///< each once
  std::vector<int>   part_of_node, part_of_cell;
  int                n_parts = 0; ///< connected through facets

  Vector          volumes;   ///< per simplex (m^d)
  Eigen::MatrixXd gradients; ///< dim*(dim + 1) x n_simplices: ∇λ_0, ... ∇λ_dim (1/m)

  /// ∇λ_i of a simplex as columns.
  Eigen::Map<const Eigen::MatrixXd> gradients_of(const Index simplex) const
  {
    return {gradients.col(simplex).data(), mesh.dim(), mesh.dim() + 1};
  }

  /// Unit normal that points out of the facet's simplex.
  Vector normal(const Facet &facet) const;
  /// (dim - 1)-dimensional size of the facet (1 in dimension 1).
  double area(const Facet &facet) const;
};

/// The mesh with vertices torn apart: two simplices have a node in common where a chain of facets with joined[facet] leads
/// from one to the other around it.
struct TornMesh
{
  SimplexMesh      mesh;
  std::vector<int> origin; ///< per node: the point it was before
};

TornMesh torn_apart(const SimplexMesh &mesh, const std::vector<Facet> &facets, const std::vector<char> &joined);

/// saturated: one entry per simplex of the mesh.
SimplexZone simplex_zone(const SimplexMesh &mesh, const std::vector<char> &saturated);

/// Points as barycentric coordinates ((dim + 1) x n) and weights that sum to 1; exact for polynomials of degree 6 (7 in
/// dimension 1), weights positive.
Rule simplex_rule(int dim);

} // namespace moreau::macro

#endif
