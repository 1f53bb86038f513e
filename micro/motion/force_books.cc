// SPDX-License-Identifier: GPL-3.0-or-later
#include "micro/motion/force_books.h"

#include "geometry/quadrature.h"

#include <algorithm>

namespace moreau::micro
{
double rate_of_drag(const BodyForce &force, const double t, const double h, const Eigen::MatrixXd &r,
                    const Eigen::MatrixXd &u)
{
  constexpr double difference = 1e-3, at_rest = 1e-6; // of u; of what the force makes of it in a step
  Eigen::MatrixXd  f(r.rows(), r.cols()), of_faster(r.rows(), r.cols());
  force(t, r, u, f);
  force(t, r, (1. + difference) * u, of_faster);
  double rate = 0.;
  for (Index i = 0; i < r.cols(); ++i)
    if (u.col(i).norm() > at_rest * h * f.col(i).norm())
      rate = std::max(rate, -(of_faster - f).col(i).dot(u.col(i)) / (difference * u.col(i).squaredNorm()));
  return rate;
}

double work_of_force(const BodyForce &force, const double t, const double h, const Eigen::MatrixXd &begin,
                     const Eigen::MatrixXd &v, const Vector &m, const PeriodicBox &box)
{
  Eigen::MatrixXd r(begin.rows(), begin.cols()), f(begin.rows(), begin.cols());
  const auto      power = [&](const double at) -> Vector {
    r = begin + (at - t) * v;
    for (Index i = 0; i < r.cols(); ++i)
      box.wrap(&r(0, i));
    force(at, r, v, f);
    double sum = 0.;
    for (Index i = 0; i < r.cols(); ++i)
      sum += m(i) * f.col(i).dot(v.col(i));
    return Vector::Constant(1, sum);
  };
  return h * geometry::mean_over(t, h, power, 2)(0);
}
} // namespace moreau::micro
