// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/mean_gradient.h"

#include "convex/input_error.h"

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

void require_admissible_gradient(const Cone &cone, const Eigen::MatrixXd &D)
{
  if (const std::string why = why_not_admissible(cone, D); !why.empty())
    throw InputError("the mean gradient", "The " + name(cone.type) + " cone has no velocity with this mean gradient: " +
                                              why + "; change the gradient or the cone.");
}
} // namespace moreau::macro
