// SPDX-License-Identifier: GPL-3.0-or-later
#include "homogenization/periodic_images.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace moreau::homogenization
{
Vector PeriodicImages::values(const Vector &of_box, const Index n_each) const
{
  Vector all(n_each * spheres.size());
  for (Index k = 0; k < spheres.size(); ++k)
    all.segment(n_each * k, n_each) = of_box.segment(n_each * original[k], n_each);
  return all;
}

PeriodicImages with_images(const micro::Spheres &spheres, const macro::Domain &domain, const double reach)
{
  const Index           dim = spheres.dimension(), n = spheres.size();
  const macro::Domain   around  = with_surroundings(domain, reach);
  const double          largest = std::max(around.lower.cwiseAbs().maxCoeff(), around.upper.cwiseAbs().maxCoeff());
  const double          unit    = std::ldexp(1., std::ilogb(largest) - 52);
  const auto            rounded = [unit](const double x) { return std::nearbyint(x / unit) * unit; };
  const Eigen::MatrixXd r       = spheres.r.unaryExpr(rounded);
  Vector                period  = Vector::Zero(dim);
  std::array<int, 3>    most    = {0, 0, 0};
  for (Index axis = 0; axis < dim; ++axis)
    if (domain.periodic[axis])
      {
        period(axis) = rounded(domain.upper(axis) - domain.lower(axis));
        most[axis]   = static_cast<int>(std::ceil(reach / period(axis)));
      }

  PeriodicImages result;
  for (Index i = 0; i < n; ++i)
    result.original.push_back(static_cast<int>(i));
  result.periods.assign(n, {0, 0, 0});
  std::array<int, 3> s;
  for (s[0] = -most[0]; s[0] <= most[0]; ++s[0])
    for (s[1] = -most[1]; s[1] <= most[1]; ++s[1])
      for (s[2] = -most[2]; s[2] <= most[2]; ++s[2])
        if (s != std::array<int, 3>{0, 0, 0})
          for (Index i = 0; i < n; ++i)
            {
              bool is_near = true;
              for (Index axis = 0; axis < dim; ++axis)
                if (const double x = r(axis, i) + s[axis] * period(axis); s[axis] != 0)
                  is_near = is_near && around.lower(axis) <= x && x <= around.upper(axis);
              if (is_near)
                {
                  result.original.push_back(static_cast<int>(i));
                  result.periods.push_back(s);
                }
            }

  const Index n_all = static_cast<Index>(result.original.size());
  result.spheres    = {Eigen::MatrixXd(dim, n_all), spheres.R(result.original), spheres.m(result.original)};
  for (Index k = 0; k < n_all; ++k)
    for (Index axis = 0; axis < dim; ++axis)
      result.spheres.r(axis, k) = r(axis, result.original[k]) + result.periods[k][axis] * period(axis);
  return result;
}

macro::Domain with_surroundings(macro::Domain domain, const double reach)
{
  for (Index axis = 0; axis < domain.lower.size(); ++axis)
    if (domain.periodic[axis])
      {
        domain.lower(axis) -= reach;
        domain.upper(axis) += reach;
      }
  return domain;
}

double first_reach(const micro::Spheres &spheres, const macro::Domain &domain)
{
  constexpr double spacings = 4.;
  return spacings * std::pow((domain.upper - domain.lower).prod() / static_cast<double>(spheres.size()),
                             1. / static_cast<double>(spheres.dimension()));
}

void require_sensible_reach(const double reach, const macro::Domain &domain)
{
  constexpr double diagonals = 16.; // cells end within one of them
  if (reach > diagonals * (domain.upper - domain.lower).norm())
    throw std::runtime_error("The cells of the spheres do not end within some periods of the box.");
}
} // namespace moreau::homogenization
