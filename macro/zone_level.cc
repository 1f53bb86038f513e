// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/zone_level.h"

#include "geometry/fill_picture.h"

namespace moreau::macro
{
std::optional<geometry::Array> zone_level(const Domain &domain, const std::vector<double> &points)
{
  if (!domain.level && !domain.uniform)
    return std::nullopt;
  const Index           dim = domain.lower.size(), n = static_cast<Index>(points.size()) / 3;
  const Eigen::MatrixXd x     = Eigen::Map<const Eigen::MatrixXd>(points.data(), 3, n).topRows(dim);
  Eigen::MatrixXd       level = (x.colwise() - domain.lower).cwiseMin(domain.upper.replicate(1, n) - x).colwise().minCoeff();
  if (domain.level)
    {
      Eigen::MatrixXd of_shape(1, n);
      domain.level(x, of_shape);
      level = level.cwiseMin(of_shape);
    }
  return geometry::array_of("zone_level", "", level);
}
} // namespace moreau::macro
