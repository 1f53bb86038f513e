// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/mean_gradient.h"

#include <Eigen/Eigenvalues>

#include <cmath>
#include <sstream>

namespace moreau::macro
{
std::string why_not_admissible(const Cone &cone, const Eigen::MatrixXd &D)
{
  const Eigen::Index    d         = D.rows();
  const Eigen::MatrixXd symmetric = .5 * (D + D.transpose());
  const double          trace     = D.trace();
  const double          slack     = 1e-12 * D.norm();
  std::ostringstream    text;
  if (d == 1 || cone.type == ConeType::isotropic)
    {
      if (!(trace >= -slack))
        text << "tr D = " << trace << " 1/s is below 0";
    }
  else if (has_dilatancy(cone.type))
    {
      Eigen::MatrixXd s(1, 1);
      cone.dilatancy(Eigen::MatrixXd::Zero(d, 1), s);
      const bool   is_circular = cone.type == ConeType::circular;
      const double size        = static_cast<double>(d);
      const double deviator    = (symmetric - trace / size * Eigen::MatrixXd::Identity(d, d)).norm();
      const double least       = Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(symmetric).eigenvalues().minCoeff();
      const double value =
          is_circular ? trace - s(0) * std::sqrt(size * (size - 1.)) * deviator : (1. - s(0)) / size * trace + s(0) * least;
      if (!(value >= -slack))
        text << (is_circular ? d == 2 ? "tr D - s √2 |dev D| = " : "tr D - s √6 |dev D| = "
                             : "(1-s)/d tr D + s λ, λ the least eigenvalue of its symmetric part, = ")
             << value << " 1/s is below 0 with s = " << s(0);
    }
  else
    for (Eigen::Index k = 0; k < cone.directions.cols() && text.str().empty(); ++k)
      if (const auto e = cone.directions.col(k); !(e.dot(D * e) >= -slack))
        {
          text << "e·De = " << e.dot(D * e) << " 1/s is below 0 along e = (";
          for (Eigen::Index a = 0; a < d; ++a)
            text << (a > 0 ? ", " : "") << e(a);
          text << ")";
        }
  return text.str();
}

std::string why_not_by_directions(const Cone &cone, const Eigen::MatrixXd &D)
{
  const Eigen::Index d = D.rows();
  if (d == 1 || cone.type != ConeType::dilatant)
    return "";
  Eigen::MatrixXd s(1, 1);
  cone.dilatancy(Eigen::MatrixXd::Zero(d, 1), s);
  const double       of_rows = inner_factor(cone) * s(0);
  std::ostringstream text;
  double             least = -1e-14 * D.norm();
  for (Eigen::Index k = 0; k < cone.directions.cols(); ++k)
    {
      const auto   e    = cone.directions.col(k);
      const double rate = (1. - of_rows) / static_cast<double>(d) * D.trace() + of_rows * e.dot(D * e);
      if (!(rate < least))
        continue;
      least = rate;
      text.str("");
      text << "s is " << of_rows << " in their inequalities, so that they stay within the cone, and along e = ("
           << e.transpose() << ") it has " << rate << " 1/s";
    }
  return text.str();
}

std::string why_not_admissible(const Cone &cone, const Eigen::MatrixXd &D, const std::vector<bool> &walled)
{
  const bool      by_directions = cone.type != ConeType::isotropic && !has_dilatancy(cone.type);
  Eigen::MatrixXd mean          = D;
  Cone            along         = cone; // a direction that leads from wall to wall is free
  for (Eigen::Index axis = 0; axis < D.rows(); ++axis)
    if (walled[axis])
      mean.col(axis).setZero();
  if (by_directions)
    {
      Eigen::Index n = 0;
      for (Eigen::Index k = 0; k < cone.directions.cols(); ++k)
        {
          bool leads_across = false;
          for (Eigen::Index axis = 0; axis < D.rows(); ++axis)
            leads_across = leads_across || walled[axis] && std::abs(cone.directions(axis, k)) > 1e-12;
          if (!leads_across)
            along.directions.col(n++) = cone.directions.col(k);
        }
      along.directions.conservativeResize(Eigen::NoChange, n);
    }
  const std::string why = why_not_admissible(along, mean);
  // all directions of a lattice together say div u >= 0
  return why.empty() && by_directions && cone.type != ConeType::directions ? why_not_admissible(Cone(), mean) : why;
}
} // namespace moreau::macro
