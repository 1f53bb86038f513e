// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_HOMOGENIZATION_CELL_INTEGRALS_H
#define MOREAU_HOMOGENIZATION_CELL_INTEGRALS_H

#include "geometry/progress.h"
#include "homogenization/voronoi.h"

#include <functional>

namespace moreau::homogenization
{
/// Values of an integrand at points of one cell: x is dim x n (m), values comes as n_components x n and is filled. Called
/// from several threads.
using CellIntegrand = std::function<void(Index cell, const Eigen::MatrixXd &x, Eigen::MatrixXd &values)>;

/// How exactly functions are integrated. The rule is exact for polynomials of degree 5; where its estimated error is larger
/// than the tolerance (jumps, kinks), the simplices of a cell that have the largest errors are bisected again and again.
struct Accuracy
{
  double tolerance = 1e-6; ///< of max|f| times the volume of the cell
  int    max_depth = 8;    ///< halvings of the diameter
  /// Points that bisection may add, as a multiple of those of the first pass,
  /// and always 4e6. The cells with the largest errors come first.
  double work = .5;
  /// max|f| of a component counts as at least this part of that of the largest
  /// component: what is rounding there is not refined.
  double least_scale = 1e-12;
  /// A component is left as it is where the estimated error of its sum over
  /// all cells is at most this part of the sum of |∫ f|.
  double enough_in_total = 0.;
};

struct CellIntegrals
{
  Eigen::MatrixXd values; ///< n_components x n_cells: ∫ f over D_i
  /// n_components x n_cells: their estimated errors, 2 (|Σ_T d_T|² + Σ_T |d_T|²)^{1/2} with d_T, of the simplices T of
  /// the cell, as in EmbeddedRule. A jump at a random place makes an error of mean 0, so that errors add up as independent
  /// numbers do; where the same happens in many simplices, the vectors d_T are the same too.
  Eigen::MatrixXd cell_error;
  /// Per component: ∫ f over all cells, the sum over blocks of 4096.
  Vector total;
  /// Per component: estimated error of the sum over all cells, (4 |Σ_T d_T|² + Σ_i cell_error_i²)^{1/2}.
  Vector error;
};

/// ∫ f over every D_i: a sum with positive weights over points inside. The result does not depend on the number of threads,
/// nor on that of processes: cells.processes() call together, each looks at its cells, all have the result; of cells in
/// parts each has that of its own, and the totals. Where f throws InputError on one of them, all do.
CellIntegrals integrate(const VoronoiCells &cells, const CellIntegrand &f, Index n_components,
                        const Accuracy &accuracy = Accuracy(), const geometry::Progress &progress = {});

/// Cells that are given otherwise. The functions are called from several threads.
struct Partition
{
  Index dim;
  Index n_cells;
  /// Fills corners: dim x (dim+1) k, the corners of one simplex after the other.
  std::function<void(Index cell, Eigen::MatrixXd &corners)> simplices;
  /// Whether the cell is a parallelepiped (parallelogram), which takes fewer points; then fills corners, dim x (dim+1): one
  /// of its corners and those next to it. May be empty.
  std::function<bool(Index cell, Eigen::MatrixXd &corners)> parallelepiped = {};
  geometry::Processes                                       processes      = {}; ///< that share the work
  bool in_parts = false; ///< each process has its own cells only, in their order behind those of lower ranks
  /// The first cell of each block, and n_cells: eight of them are a block of sums, whole ones on each process. Empty: blocks
  /// of 512 cells.
  std::vector<Index> block_begin = {};
};

CellIntegrals integrate(const Partition &partition, const CellIntegrand &f, Index n_components,
                        const Accuracy &accuracy = Accuracy(), const geometry::Progress &progress = {});
} // namespace moreau::homogenization

#endif
