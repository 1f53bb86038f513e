// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_HOMOGENIZATION_EMBEDDED_RULE_H
#define MOREAU_HOMOGENIZATION_EMBEDDED_RULE_H

#include <Eigen/Core>

namespace moreau::homogenization
{
/// Quadrature on a simplex, or on a parallelepiped, that estimates its own error.
///
/// volume Σ_q weights_q f(x_q) is exact for polynomials of degree 5: the rules with 3, 7 (Radon), 14 (Grundmann,
/// Walkington) points on simplices of dimension 1, 2, 3, Gauss's with 3 per direction on parallelepipeds. Points of weight 0
/// beside the corners serve the estimate: no hyperplane across the cell misses all of them, and still no function is
/// evaluated where two cells meet.
struct EmbeddedRule
{
  /// (dim + 1) x n: barycentric coordinates for the simplex, or for that of the corner and the three (two) next to it of the
  /// parallelepiped.
  Eigen::MatrixXd points;
  Eigen::VectorXd weights; ///< n, sum to 1, none is negative
  /// n x r, orthogonal columns: what of the values is not a quadratic polynomial, see error_vectors().
  Eigen::MatrixXd defect;
  double          volume; ///< of the cell, that of the simplex being 1

  Eigen::Index size() const { return weights.size(); }
  Eigen::Index n_defects() const { return defect.cols(); }

  /// The estimated error of the mean of each of several functions over the cell is the length of a row of the result.
  ///   values   n_components x n
  ///   errors   n_components x r, filled: values * defect, times min(1, 2 J/V)
  ///   where J measures how far the values are from those of
  ///            a quadratic polynomial and V how much they vary. This tells smooth functions, whose J/V is small and whose
  ///            error is much smaller than J (as in QUADPACK), from those that jump, which have J/V > 1/2. On simplices the
  ///            root mean square of the estimate for jumps at random hyperplanes is that of the error; kinks are slightly
  ///            overestimated. On parallelepipeds the estimate is larger, so that it covers jumps along their sides.
  void error_vectors(const Eigen::Ref<const Eigen::MatrixXd> &values, Eigen::Ref<Eigen::MatrixXd> errors) const;
};

/// dim is 1, 2 or 3.
EmbeddedRule simplex_rule(int dim);
/// dim is 2 or 3.
EmbeddedRule parallelepiped_rule(int dim);
} // namespace moreau::homogenization

#endif
