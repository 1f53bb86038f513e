// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_HOMOGENIZATION_OUTLINES_H
#define MOREAU_HOMOGENIZATION_OUTLINES_H

#include "homogenization/voronoi.h"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <string>
#include <vector>

/// The parts of a box that are nearest to spheres: how VoronoiCells is made, one function per dimension.
namespace moreau::homogenization
{
using Eigen::Index;

/// Convex polytopes one after the other, in the layout that voronoi.h documents.
struct Outlines
{
  Eigen::MatrixXd    vertices; ///< dim x all
  std::vector<Index> vertex_start{0};
  std::vector<int>   face_vertices; ///< space only
  std::vector<Index> face_start{0};
  std::vector<int>   behind_face;
  std::vector<Index> behind_start{0};
  std::string        words; ///< for the log
};

/// Lengths of the parts of the arrays that belong to one cell.
struct OutlineSize
{
  int vertices = 0, face_entries = 0, faces = 0;
};

/// Some outlines, while it is not known yet where in the arrays they belong.
struct OutlineBlock
{
  std::vector<double>      vertices;
  std::vector<int>         face_vertices;
  std::vector<int>         behind_face;
  std::vector<OutlineSize> sizes; ///< per cell

  /// Makes one more cell of what was appended to the first three arrays since the last call.
  void close_cell(Index dim);

private:
  OutlineSize before; ///< of all cells
};

/// Outlines of these sizes, to be filled in.
Outlines allocated(Index dim, const std::vector<OutlineSize> &sizes);
/// The blocks one after the other.
Outlines joined(Index dim, const std::vector<OutlineBlock> &blocks);

constexpr Index cells_per_block = 4096; ///< fixed, so that results do not depend on the number of threads

inline Index n_blocks(const Index n) { return (n + cells_per_block - 1) / cells_per_block; }

/// Calls run(block, first, last) for the blocks of 0 ... n-1, in parallel.
template <class Run>
void for_each_block(const Index n, const Run &run)
{
  tbb::parallel_for(tbb::blocked_range<Index>(0, n_blocks(n), 1), [&](const tbb::blocked_range<Index> &range) {
    for (Index b = range.begin(); b < range.end(); ++b)
      run(b, b * cells_per_block, std::min(n, (b + 1) * cells_per_block));
  });
}

/// Whether all radii are the same up to 1e-9: Voronoi cells, which do not depend on them.
bool equal_radii(const micro::Spheres &spheres);

/// R_i² - R_j², 0 among equal radii: by how much the face between two cells
/// lies farther from i than from j, times 2 |r_j - r_i|.
inline double power_difference(const micro::Spheres &spheres, const bool equal, const Index i, const Index j)
{
  return equal ? 0. : (spheres.R(i) - spheres.R(j)) * (spheres.R(i) + spheres.R(j));
}

/// Lengths below it are rounding of coordinates in this box (m).
double rounding_of_coordinates(const macro::Domain &domain);

/// Spheres in dimension 1 by position.
std::vector<int> sorted_along_line(const micro::Spheres &spheres);

/// Of the first n spheres, dimension 1: between sorted neighbours. A cell without volume may come out empty.
Outlines line_outlines(const micro::Spheres &spheres, Index n, const macro::Domain &domain);
/// CGAL, of the first n spheres. The triangulation begins its round about a sphere anywhere.
Outlines plane_outlines(const micro::Spheres &spheres, Index n, const macro::Domain &domain);
/// Of own spheres, each cut out by its neighbours in the order of angles: the same on any number of processes to the last
/// bit. Cells begin at corners that have nothing to do with each other, as errors of quadrature do with their directions:
/// what is odd in them is no error of the cell, and would add up if all cells began at the same corner.
Outlines plane_outlines_of_part(const micro::Spheres &spheres, const Triangulation &found, const macro::Domain &domain,
                                const SpheresHere &here);
/// voro++, of own spheres; others here are images of them, or in parts spheres of others. All processes call.
///   found  of spheres in parts: those of wide cells (SpheresHere) are cut out by their neighbours in it
Outlines space_outlines(const micro::Spheres &spheres, const Triangulation &found, const macro::Domain &domain,
                        const SpheresHere &here, const geometry::Processes &processes);
} // namespace moreau::homogenization

#endif
