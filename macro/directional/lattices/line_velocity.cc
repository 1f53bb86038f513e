// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/directional/lattices/line_velocity.h"

#include <Eigen/QR>

#include <algorithm>
#include <cmath>

namespace moreau::macro
{
template <int dim>
OnPiece on_piece(const LinePoints<dim> &points, const int q, const int k, const double before, const double behind,
                 const LineVelocity<dim> &v)
{
  using Point                 = Eigen::Matrix<double, dim, 1>;
  const Point               x = points.x.col(q), e = points.e.col(k);
  const double              middle = .5 * (behind - before);
  const std::vector<double> at     = points.ends.crossings(x, e, -before, behind);

  OnPiece result = {e.dot(v(x + at[0] * e, q)), 0., 0., 0.};
  double  w      = result.begin;
  for (std::size_t i = 1; i < at.size(); ++i)
    {
      const double next = e.dot(v(x + at[i] * e, q)), length = at[i] - at[i - 1], mean = .5 * (w + next);
      result.mean += length * mean;
      result.moment += (.5 * (at[i] + at[i - 1]) - middle) * length * mean + length * length * (next - w) / 12.;
      w = next;
    }
  result.mean /= before + behind;
  result.end = w;
  return result;
}

template <int dim>
double unseen(const LinePoints<dim> &points, const CellPart<dim> &part, const PointBins<dim> &bins,
              const Eigen::Matrix<double, dim, Eigen::Dynamic> &u_p,
              const Eigen::Matrix<double, dim, Eigen::Dynamic> &v_at_points, const LineVelocity<dim> &v)
{
  using Point                  = Eigen::Matrix<double, dim, 1>;
  using Values                 = Eigen::Matrix<double, dim + 1, 1>;
  const std::vector<int> found = bins.around(part.centre), &used = !part.asked.empty() ? part.asked
                                                                   : found.empty()     ? part.points
                                                                                       : found;
  if (used.empty())
    return 0.; // nothing but the volume of what the mesh left out is known
  const auto basis = [&](const Point &x) {
    Values values;
    values << 1., (x - part.centre) / points.size;
    return values;
  };
  Eigen::Matrix<double, dim + 1, dim + 1> A = Eigen::Matrix<double, dim + 1, dim + 1>::Zero();
  Eigen::Matrix<double, dim + 1, dim>     b = Eigen::Matrix<double, dim + 1, dim>::Zero();
  for (const int q : used)
    {
      const Values values = basis(points.x.col(q));
      A += values * values.transpose();
      b += values * u_p.col(q).transpose();
    }
  // the smallest coefficients where points lie on a line
  const Eigen::Matrix<double, dim + 1, dim> c       = A.completeOrthogonalDecomposition().solve(b);
  double                                    samples = 0., seen = 0.;
  for (Index k = 0; k < part.samples.cols(); ++k)
    {
      const Point x = part.samples.col(k);
      samples += (v(x, part.cell < 0         ? -1
                       : part.points.empty() ? used[0]
                                             : part.points[0]) -
                  c.transpose() * basis(x))
                     .squaredNorm();
    }
  for (const int q : part.points)
    seen += (v_at_points.col(q) - c.transpose() * basis(points.x.col(q))).squaredNorm();
  samples /= static_cast<double>(part.samples.cols());
  seen /= std::max(1., static_cast<double>(part.points.size()));
  return part.volume * std::max(0., samples - seen);
}

template OnPiece on_piece<2>(const LinePoints<2> &, int, int, double, double, const LineVelocity<2> &);
template OnPiece on_piece<3>(const LinePoints<3> &, int, int, double, double, const LineVelocity<3> &);
template double  unseen<2>(const LinePoints<2> &, const CellPart<2> &, const PointBins<2> &, const Eigen::Matrix2Xd &,
                          const Eigen::Matrix2Xd &, const LineVelocity<2> &);
template double  unseen<3>(const LinePoints<3> &, const CellPart<3> &, const PointBins<3> &, const Eigen::Matrix3Xd &,
                          const Eigen::Matrix3Xd &, const LineVelocity<3> &);
} // namespace moreau::macro
