// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MACRO_DIRECTIONAL_BISECTED_BOX_H
#define MOREAU_MACRO_DIRECTIONAL_BISECTED_BOX_H

#include "macro/directional/simplex_mesh.h"

#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace moreau::macro
{
/// λ_0 ... λ_dim on a simplex; entries behind dim are 0.
using SimplexPoint = std::array<double, 4>;

/// The simplices of kuhn_subdivision(grid), some of them bisected, again and again (Maubach 1995): a simplex x_0 ... x_dim
/// with the tag k is cut in the middle z of the edge x_0 x_k into
///     x_0 ... x_{k-1} z x_{k+1} ... x_dim   and   x_1 ... x_k z x_{k+1} ... x_dim,   with the tag k - 1 (dim behind 1).
/// Every dim bisections halve all edges; there are finitely many shapes. Neighbours match: what has the middle of another's
/// edge on its own is cut, too.
class BisectedBox
{
public:
  explicit BisectedBox(const BoxGrid &grid);

  const BoxGrid     &grid() const { return box; }
  const SimplexMesh &mesh() const { return leaves; } ///< of what is not cut any more
  bool               is_uniform() const;             ///< all simplices of mesh() have the same size

  /// The marked simplices of mesh() (one entry each) with edges of half the length, and what matching neighbours need.
  BisectedBox refined(const std::vector<char> &marked) const { return bisected(marked, box.dim); }

  /// All simplices bisected once: in the plane the cells are cut by both diagonals.
  BisectedBox bisected() const { return bisected(std::vector<char>(leaves.n_simplices(), 1), 1); }

  /// The simplex of mesh() that a point of the box lies in, and where; -1 beyond the box.
  int containing(const double *x, SimplexPoint &lambda) const;

  /// Appends the simplices of mesh() in a cell of the grid.
  void collect(const CellIndex &cell, std::vector<int> &simplices) const;

private:
  struct Node
  {
    std::array<int, 4> vertices;
    int                children = -1;           ///< the first of two, one behind the other; -1: a leaf
    int                leaf     = -1;           ///< number in mesh()
    int                tag = 0, generation = 0; ///< bisections that led to it
  };

  BisectedBox bisected(const std::vector<char> &marked, int n_times) const;

  Index first_root(const CellIndex &cell) const { return n_orders * (cell[0] + box.n[0] * (cell[1] + box.n[1] * cell[2])); }
  int   middle(int a, int b);
  bool  is_cut(int a, int b) const;
  void  bisect(int node);
  void  match();
  void  number_leaves();

  BoxGrid                                box;
  Index                                  n_orders; ///< simplices of a cell: dim!
  std::size_t                            n_roots;
  std::vector<Node>                      nodes;  ///< the simplices of kuhn_subdivision first
  std::vector<Eigen::Vector3d>           points; ///< entries behind dim are 0
  std::unordered_map<std::uint64_t, int> middles;
  SimplexMesh                            leaves;
};

/// The point of a simplex nearest to x: its barycentric coordinates; sets the distance (m). vertices: dim x (dim + 1).
SimplexPoint nearest_on_simplex(const SimplexMatrix &vertices, const double *x, double &distance);
} // namespace moreau::macro

#endif
