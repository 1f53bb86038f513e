// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MACRO_DIRECTIONAL_ZONE_H
#define MOREAU_MACRO_DIRECTIONAL_ZONE_H

#include "macro/discretize.h"
#include "macro/directional/circular_tensors.h"
#include "macro/directional/simplex_mesh.h"

#include <utility>

namespace moreau::macro
{
/// What a facet demands of p_k on one of its sides, so that B*p = Σ_k ∂_{e_k}p_k e_k has no singular part and <Bu,p> <= 0
/// holds for all admissible u: the traction Σ_k p_k A_k n, A_k = e_k e_kᵀ, must be continuous across facets, 0 where the
/// zone ends freely, and q n with q >= 0 on walls.
enum class Crossing : char
{
  free, ///< nothing: the facet is parallel to e_k, or a wall across it, or the lattice continues behind it
  /// the facet is a wall oblique to A_k n, or another lattice begins behind it: the p_k together must satisfy what is said
  /// above
  tied,
  zero ///< p_k = 0
};

/// A saturated zone with K unit directions on every simplex. Its inequalities are A_k:∇v >= 0,
///     A_k = e_k e_kᵀ,   or   A_k = (1-s)/d I + s e_k e_kᵀ   for dilatant cones.
/// Circular cones have one inequality, and the A_k are a basis of the symmetric tensors (circular_tensors.h): the
/// "pressures" p_k are coordinates of a stress Σ p_k A_k then, of any sign but for the first.
struct DirectionalZone
{
  SimplexZone     zone;
  int             K = 0;
  Eigen::MatrixXd directions; ///< dim*K x n_simplices, or one column where they are uniform
  Vector variation;   ///< per simplex: how far directions at a vertex are from those of the centroid; empty where uniform
  double length = 0.; ///< of an edge: what turns gradients into velocities (m)
  /// D of a box that repeats itself (1/s), of size 0: none. Coefficients are those of what repeats itself of a velocity, its
  /// gradients are with D.
  Eigen::MatrixXd mean_gradient = {};
  /// s per simplex, the largest of its vertices and centroid, or one entry where it is uniform; 1 for other cones
  Vector                     dilatancy          = Vector::Ones(1);
  Vector                     least_dilatancy    = Vector::Ones(1); ///< likewise, the smallest
  double                     smallest_dilatancy = 1.; ///< s of the pressures: their stresses are admissible for all larger s
  double                     inner_factor = 1.; ///< of s in the inequalities of the inner approximation, see macro/cone.h
  std::vector<SimplexMatrix> tensors;           ///< A_k of circular cones; empty for others
  TornMesh grains; ///< the zone's mesh torn apart where directions jump: pressures live here, one value per grain at a node
  std::vector<int>         torn; ///< facets whose sides have nodes of their own (torn_velocity.h): velocities may jump there
  std::vector<signed char> side_of_facet; ///< the wall on which the facet lies (numbered as Sides), -1 elsewhere

  /// Walls on all sides, directions that are not at right angles. What is linear on simplices couples neighbouring lines, by
  /// a factor from node to node: where lines end on different walls, the velocities that are exactly admissible are far
  /// fewer than those of the continuum for many pairs of directions (none but 0 for (1, 0) and (.6, .8)), by stresses that
  /// fall off by that factor, below what doubles can balance. Lattices have so many directions that little but 0 is
  /// admissible anyway.
  bool locks = false;

  int dim() const { return zone.mesh.dim(); }

  /// e_1 ... e_K of a simplex as columns.
  Eigen::Map<const Eigen::MatrixXd> directions_of(const Index simplex) const
  {
    return {directions.col(directions.cols() == 1 ? 0 : simplex).data(), dim(), K};
  }

  bool is_circular() const { return !tensors.empty(); }
  bool is_dilatant() const { return smallest_dilatancy < 1. || inner_factor > 1. || is_circular(); }

  double dilatancy_of(const Index simplex) const { return dilatancy(dilatancy.size() == 1 ? 0 : simplex); }
  double least_dilatancy_of(const Index simplex) const { return least_dilatancy(least_dilatancy.size() == 1 ? 0 : simplex); }

  /// A_k x for the columns of x, k fixed, with the s that is given.
  SimplexMatrix applied(const Index simplex, const int k, const double s, const Eigen::Ref<const Eigen::MatrixXd> &x) const
  {
    if (is_circular())
      return tensors[k] * x;
    const auto e = directions_of(simplex).col(k);
    return (1. - s) / dim() * x + s * e * (e.transpose() * x);
  }

  /// The same with the s of pressures: the stress of p_k is p_k A_k.
  SimplexMatrix applied(const Index simplex, const int k, const Eigen::Ref<const Eigen::MatrixXd> &x) const
  {
    return applied(simplex, k, smallest_dilatancy, x);
  }

  /// Of row (T,k) of the inner approximation, beside A_k: 1, but for circular cones 1/√d and s√((d-1)/d), so that their rows
  /// lie in a circle.
  double row_weight(const Index simplex, const int k) const
  {
    return !is_circular() ? 1. : (k == 0 ? 1. : circular_slope(dim(), dilatancy_of(simplex))) / std::sqrt(dim());
  }

  /// A_k:D with the s that is given (1/s); 0 where it is rounding, as of a rotation.
  double mean_rate(const Index simplex, const int k, const double s) const
  {
    constexpr double rounding = 1e-14;
    const double     rate     = mean_gradient.size() == 0 ? 0. : applied(simplex, k, s, mean_gradient).trace();
    return std::abs(rate) <= rounding * mean_gradient.norm() ? 0. : rate;
  }

  /// ∇v + D on a simplex (1/s), rows are components; v: coefficients, dim per node.
  SimplexMatrix gradient(const Vector &v, Index simplex) const;

  /// A_k:(∇v + D) on a simplex for all k (1/s), with the s of pressures; v: coefficients, dim per node.
  Vector derivatives(const Vector &v, Index simplex) const;

  /// min_e A_e:(∇v + D) (1/s): over the K directions or, for dilatant cones, over all and with the simplex's own s. For
  /// circular ones (tr D - s√(d(d-1)) |dev D|)/d, which in the plane is the same.
  double smallest_derivative(const Vector &v, Index simplex) const;

  /// What facet f demands of p_k on the side of its simplex, or of its neighbour.
  Crossing crossing(std::size_t f, int k, bool of_neighbour) const;

  /// Whether both simplices of an interior facet have the same directions, up to their signs.
  bool same_lattice(const Facet &facet) const;
};

/// saturated: per simplex of the mesh. Throws InputError("the directions of the cone", ...) where a direction is no unit
/// vector, or where they do not span the space, naming the point.
///   mean_gradient  D of a box that repeats itself (1/s)
DirectionalZone directional_zone(const SimplexMesh &mesh, const std::vector<char> &saturated, const Cone &cone,
                                 const BoxGrid &grid, const Sides &walls, const Eigen::MatrixXd &mean_gradient = {});

/// (node, side) for every node on a wall, each once, in order.
std::vector<std::pair<int, int>> nodes_on_walls(const DirectionalZone &zone);

/// Points c, one per connected part (dim x n_parts), for which x - c is admissible with room to spare: ∂_{e}((x - c)·e) =
/// 1, and (x - c)·n < 0 on walls. Empty where a part reaches from a wall to the opposite one, and in boxes that repeat
/// themselves.
Eigen::MatrixXd expansion_centres(const DirectionalZone &zone);

/// Coefficients of x - c (dim per node), admissible with room to spare. Of circular cones components across walls that face
/// each other may be 0: r others open where r > s√((d-1) r (d-r)), s the largest one. Empty where there is no such field,
/// and in boxes that repeat themselves.
Vector nodal_expansion(const DirectionalZone &zone);

/// Coefficients (dim per node) of a field like it in a box that repeats itself: x - c along axes that do not repeat
/// themselves and have no walls that face each other, 0 along the others. Admissible, with room where directions have a
/// share in the former; of size 0 where there are none.
Vector open_expansion(const DirectionalZone &zone);
} // namespace moreau::macro

#endif
