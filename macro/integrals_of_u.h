// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MACRO_INTEGRALS_OF_U_H
#define MOREAU_MACRO_INTEGRALS_OF_U_H

#include "geometry/quadrature.h"
#include "macro/total_bound.h"

#include <functional>
#include <vector>

namespace moreau::macro
{
/// What U contributes on a cell, from its values at the points of a rule, and what these do not see.
class IntegralsOfU
{
public:
  /// Cells that are maps of the unit cube. No oscillation comes of polynomials up to `degree` in each coordinate there.
  static IntegralsOfU on_cubes(const geometry::Rule &rule, int degree);

  /// Simplices, whose rule has barycentric coordinates ((dim + 1) x n) as points. No oscillation comes of quadratic
  /// polynomials.
  static IntegralsOfU on_simplices(const geometry::Rule &rule);

  /// Volume, mean, spread and oscillation. U: dim x n; weights sum to the volume of the cell.
  GapIntegrals operator()(const Eigen::Ref<const Eigen::MatrixXd> &U, const Vector &weights) const;

  /// AdmissiblePair::hidden() of cells whose points of the rule are x (dim x n * cells, cell after cell, m) and whose
  /// volumes these are. Corners, where a map from the reference cell by those polynomials puts them, are looked at a hair
  /// inside. Where U knows itself on hulls (Field::on_hull) and is not one polynomial on a cell, so are 64 parts of it;
  /// infinite where nothing is known between the points of one. Of cells on which the points of the rule see already that U
  /// is no polynomial only branches count of which they see nearly nothing, and peaks: the rest is their oscillation. Peaks
  /// are looked for where what is known of U on as many cells in a row leaves much more room than what they see of it bends.
  Unseen hidden(const Field &U, const Eigen::MatrixXd &x, const Vector &volumes, bool all_seen, Index in_a_row = 1) const;

  /// How many cells in a row are looked at together, of so many in all: a bounded number of looks.
  static Index in_a_row(Index n_cells);

private:
  /// c x m: polynomials at c points
  using Polynomials = std::function<Eigen::MatrixXd(const Eigen::MatrixXd &points)>;

  /// corners: reference coordinates; parts: their corners in turn, by weights of the corners of the cell.
  IntegralsOfU(const geometry::Rule &rule, const Polynomials &polynomials, const Eigen::MatrixXd &corners,
               std::vector<Eigen::MatrixXd> parts);

  /// Whether U, which has no branches there, may have peaks that are not seen, per cell. corners: of all cells.
  std::vector<bool> room_for_peaks(const Field &U, const Eigen::MatrixXd &corners, Index n_cells, Index in_a_row) const;

  /// of_peaks: whether only parts count on which as much is unknown of U as on the cell. What bends gets better known there,
  /// a peak does not.
  double between_points(const Field &U, const Eigen::MatrixXd &corners, const Eigen::MatrixXd &of_rule, double inside,
                        bool of_peaks) const;

  Eigen::MatrixXd              orthonormal, projection, to_corners; ///< c x n
  std::vector<Eigen::MatrixXd> parts, to_parts;                     ///< c x c; c x n
  Vector                       weights;                             ///< of the rule; their sum is 1
};
} // namespace moreau::macro

#endif
