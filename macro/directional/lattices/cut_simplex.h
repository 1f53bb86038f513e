// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MACRO_DIRECTIONAL_LATTICES_CUT_SIMPLEX_H
#define MOREAU_MACRO_DIRECTIONAL_LATTICES_CUT_SIMPLEX_H

#include "macro/saturated_cells.h"

#include <Eigen/Cholesky>
#include <Eigen/Geometry>
#include <Eigen/LU>

#include <algorithm>
#include <cmath>
#include <vector>

namespace moreau::macro
{
/// A triangle or tetrahedron T of which D, the saturated zone, may hold a part only, or in which U jumps.
template <int dim>
struct CutSimplex
{
  Eigen::Matrix<double, dim + 1, 1>   mass;          ///< ∫_{T∩D} λ_k of its barycentric coordinates (m^dim)
  Eigen::Matrix<double, dim, dim + 1> momentum;      ///< ∫_{T∩D} λ_k U (m^{dim+1}/s)
  double                              error = 0.;    ///< of the measure of T∩D, estimated: 0 for planes up to rounding
  bool                                cut   = false; ///< D does not hold all of it
};

/// T∩D as a rule of degree 2.
template <int dim>
struct SimplexPart
{
  std::vector<Eigen::Matrix<double, dim + 1, 1>> points;      ///< barycentric
  std::vector<double>                            weights;     ///< they add up to |T∩D| / |T|
  double                                         error  = 0.; ///< of that, estimated
  bool                                           is_cut = false;
};

/// Masses and momenta of a part. Where U is linear on it, up to a fifth of its differences there, the momenta are those of
/// the mass at every vertex times the linear U there: what is linear stays linear whatever the part looks like.
template <int dim>
CutSimplex<dim> measured(const Setting &setting, const Eigen::Matrix<double, dim, dim + 1> &corners,
                         const SimplexPart<dim> &part)
{
  using Coefficients                       = Eigen::Matrix<double, dim, dim + 1>;
  using Barycentric                        = Eigen::Matrix<double, dim + 1, 1>;
  constexpr double                nearly   = .2; // linear: of the differences of U
  constexpr double                n_orders = dim == 2 ? 2. : 6.;
  Eigen::Matrix<double, dim, dim> edges    = corners.template rightCols<dim>().colwise() - corners.col(0);
  const double                    size     = std::abs(edges.determinant()) / n_orders;

  const auto      n_points = static_cast<Index>(part.points.size());
  Eigen::MatrixXd x(dim, n_points), U(dim, n_points);
  for (Index q = 0; q < n_points; ++q)
    x.col(q) = corners * part.points[q];
  CutSimplex<dim> result;
  result.cut   = part.is_cut;
  result.error = size * part.error;
  result.mass.setZero();
  result.momentum.setZero();
  if (n_points == 0)
    return result;
  setting.U(within_box(setting.domain, x), U);

  // about the first value, so that what is uniform stays so and a fast frame drowns nothing
  const Eigen::Matrix<double, dim, 1>     first = U.col(0);
  Eigen::Matrix<double, dim + 1, dim + 1> A     = Eigen::Matrix<double, dim + 1, dim + 1>::Zero(); // ∫ λ_kλ_l
  Coefficients                            b     = Coefficients::Zero();                            // ∫ (U - first) λ_k
  for (Index q = 0; q < n_points; ++q)
    {
      A += part.weights[q] * part.points[q] * part.points[q].transpose();
      b += part.weights[q] * (U.col(q) - first) * part.points[q].transpose();
    }
  const Barycentric                   mass  = A.rowwise().sum();
  const Eigen::Matrix<double, dim, 1> mean  = b.rowwise().sum() / mass.sum();
  const Coefficients                  about = b - mean * mass.transpose();
  const Coefficients                  c     = Coefficients(A.ldlt().solve(about.transpose()).transpose()).colwise() + mean;
  double                              off   = 0.;
  Eigen::AlignedBox<double, dim>      range;
  for (Index q = 0; q < n_points; ++q)
    {
      off = std::max(off, (U.col(q) - first - c * part.points[q]).norm());
      range.extend(Eigen::Matrix<double, dim, 1>(U.col(q)));
    }
  const bool linear = c.allFinite() && off <= nearly * range.diagonal().norm();
  result.mass       = result.cut ? Barycentric(size * mass) : Barycentric(Barycentric::Constant(size / (dim + 1)));
  result.momentum   = size * (linear ? Coefficients(c * mass.asDiagonal()) : b) + first * result.mass.transpose();
  return result;
}
} // namespace moreau::macro

#endif
