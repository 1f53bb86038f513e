// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MACRO_DIRECTIONAL_LATTICES_LINE_VELOCITY_H
#define MOREAU_MACRO_DIRECTIONAL_LATTICES_LINE_VELOCITY_H

#include "macro/directional/lattices/line_points.h"

#include <functional>

/// What an admissible velocity does on pieces of lines, and between them.
namespace moreau::macro
{
/// Linear on cells; `near`: a point of the lines in whose piece it is asked for; beyond the mesh the cell that the way from
/// there leaves last continues it. -1 in what the mesh left out, less than a cell away from it.
template <int dim>
using LineVelocity = std::function<Eigen::Matrix<double, dim, 1>(const Eigen::Matrix<double, dim, 1> &at, int near)>;

/// w = e_k·v on a piece of a line along e_k.
struct OnPiece
{
  double begin, end; ///< w there (m/s)
  double mean;       ///< of w (m/s)
  double moment;     ///< ∫ (s - s_c) w ds, s_c the middle of the piece (m³/s)

  double gain() const { return end - begin; }
  double excess() const { return .5 * (begin + end) - mean; } ///< 0 where w is linear
};

/// On the piece of point q from so far before it to so far behind it (m). Exact: w is linear between the planes.
template <int dim>
OnPiece on_piece(const LinePoints<dim> &points, int q, int k, double before, double behind, const LineVelocity<dim> &v);

/// ∫|v - f|² over the part of a cell minus the same by its points, f the linear function closest to u_p around; >= 0.
///   bins              of the points, that reach over what is around
///   u_p, v_at_points  per point
template <int dim>
double unseen(const LinePoints<dim> &points, const CellPart<dim> &part, const PointBins<dim> &bins,
              const Eigen::Matrix<double, dim, Eigen::Dynamic> &u_p,
              const Eigen::Matrix<double, dim, Eigen::Dynamic> &v_at_points, const LineVelocity<dim> &v);
} // namespace moreau::macro

#endif
