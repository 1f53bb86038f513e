// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/directional/circular_tensors.h"

namespace moreau::macro
{
std::vector<SimplexMatrix> circular_tensors(const int dim)
{
  std::vector<SimplexMatrix> tensors = {SimplexMatrix(SimplexMatrix::Identity(dim, dim) / std::sqrt(dim))};
  for (int k = 1; k < dim; ++k) // (1, ... 1, -k, 0, ...)
    {
      SimplexMatrix diagonal = SimplexMatrix::Zero(dim, dim);
      diagonal.diagonal().head(k).setOnes();
      diagonal(k, k) = -k;
      tensors.push_back(diagonal / std::sqrt(k * (k + 1.)));
    }
  for (int i = 0; i < dim; ++i)
    for (int j = i + 1; j < dim; ++j)
      {
        SimplexMatrix shear = SimplexMatrix::Zero(dim, dim);
        shear(i, j) = shear(j, i) = std::sqrt(.5);
        tensors.push_back(shear);
      }
  return tensors;
}

std::optional<std::pair<double, double>> circular_jump(const int dim, const double s)
{
  const double square = 1. - std::pow(circular_slope(dim, s), 2) * (dim - 1.);
  if (square < 0.)
    return {};
  return std::pair(std::sqrt(square), circular_slope(dim, s) * std::sqrt(.5 * dim));
}

double circular_margin(const SimplexMatrix &D, const double s)
{
  const double        d        = static_cast<double>(D.rows());
  const SimplexMatrix deviator = .5 * (D + D.transpose()) - D.trace() / d * SimplexMatrix::Identity(D.rows(), D.rows());
  return (D.trace() - s * std::sqrt(d * (d - 1.)) * deviator.norm()) / d;
}
} // namespace moreau::macro
